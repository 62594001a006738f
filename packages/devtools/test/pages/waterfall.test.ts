import assert from "node:assert/strict";
import { test } from "node:test";
import { toModulePicture } from "../../src/pages/module-picture.ts";
import { toWaterfall } from "../../src/pages/waterfall.ts";
import type { Recorded, RecordedSpan } from "../../src/record/recorded.ts";

const span = (
  kind: RecordedSpan["kind"],
  start: number,
  ms: number,
  depth: number,
  more: Partial<RecordedSpan> = {},
) => ({
  kind,
  name: kind,
  start,
  ms,
  depth,
  ...more,
});

function record(spans: readonly RecordedSpan[], logs: Recorded["logs"] = []): Recorded {
  const at = "2026-01-02T03:04:05.678Z";
  return { id: "a", kind: "request", at, ms: 100, method: "GET", target: "/", spans, droppedSpans: 0, logs };
}

test("operations and log lines are placed in the order of their start", () => {
  const rows = toWaterfall(
    record(
      [
        span("handler", 0, 100, 0),
        span("sql", 10, 20, 1, { database: "sqlite", rows: 2 }),
        span("sql", 40, 60, 1, { error: "StoreError: full" }),
      ],
      [
        { start: 35, level: "info", message: "in between", fields: {} },
        { start: 99, level: "error", message: "failed", fields: {}, error: { type: "E", message: "why", stack: "" } },
      ],
    ),
    50,
  );
  assert.deepEqual(
    rows.map(({ kind, left, width, depth, marks, index }) => ({ kind, left, width, depth, marks, index })),
    [
      { kind: "handler", left: 0, width: 100, depth: 0, marks: [], index: undefined },
      { kind: "sql", left: 10, width: 20, depth: 1, marks: [], index: 1 },
      { kind: "log", left: 35, width: 0.3, depth: 1, marks: [], index: undefined },
      { kind: "sql", left: 40, width: 60, depth: 1, marks: ["slow", "failed"], index: 2 },
      { kind: "log", left: 99, width: 0.3, depth: 1, marks: [], index: undefined },
    ],
  );
  assert.equal(rows.at(-1)?.name, "failed: why");
});

test("an operation that outlasts its request stays in the picture", () => {
  const [row] = toWaterfall(record([span("fetch", 50, 150, 0)]), 50);
  assert.deepEqual([row?.left, row?.width], [25, 75]);
});

test("modules are placed in columns, and each import leads to the right", () => {
  const module = (name: string, ...imports: string[]) => ({ name, imports, exports: [], declarations: [] });
  const { boxes, lines, width, height } = toModulePicture([
    module("data"),
    module("auth", "data"),
    module("posts", "auth", "data"),
    module("app", "posts", "auth", "gone"),
  ]);
  const x = new Map(boxes.map((box) => [box.name, box.x]));
  assert.deepEqual(
    lines.map(({ from, to }) => `${from} ${to}`),
    ["auth data", "posts auth", "posts data", "app posts", "app auth"],
  );
  for (const { from, to } of lines) assert.ok((x.get(from) ?? 0) < (x.get(to) ?? 0), `${from} ${to}`);
  for (const box of boxes) assert.ok(box.x + box.width <= width && box.y + 48 <= height);
});
