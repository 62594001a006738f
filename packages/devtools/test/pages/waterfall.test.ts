import assert from "node:assert/strict";
import { test } from "node:test";
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
        { start: 35, depth: 1, level: "info", message: "in between", fields: {} },
        {
          start: 99,
          depth: 1,
          level: "error",
          message: "failed",
          fields: {},
          error: { type: "E", message: "why", stack: "" },
        },
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

test("a log line after the handler is not indented under it", () => {
  const logs = [{ start: 95, depth: 0, level: "info", message: "request", fields: {} }];
  const rows = toWaterfall(record([span("middleware", 0, 100, 0), span("handler", 1, 50, 1)], logs), 50);
  assert.deepEqual(
    rows.map(({ kind, depth }) => [kind, depth]),
    [
      ["middleware", 0],
      ["handler", 1],
      ["log", 0],
    ],
  );
});

test("the time after the handler is a row, with the view inside of it", () => {
  const rows = toWaterfall(record([span("handler", 0, 40, 0), span("view", 41, 50, 0)]), 50);
  assert.deepEqual(
    rows.map(({ kind, depth, ms }) => [kind, depth, ms]),
    [
      ["handler", 0, 40],
      ["response", 0, 60],
      ["view", 1, 50],
    ],
  );
  assert.ok(
    !toWaterfall({ ...record([span("handler", 0, 40, 0)]), kind: "job" }, 50).some((row) => row.kind === "response"),
  );
});

test("the time that no operation inside of a handler explains is named, once where operations overlap", () => {
  const inside = [span("sql", 20, 20, 1), span("sql", 30, 40, 1), span("fetch", 65, 5, 2)];
  const rows = toWaterfall(record([span("handler", 0, 100, 0), ...inside]), 50);
  assert.deepEqual(
    rows.map(({ kind, own }) => (own === undefined ? kind : `${kind} ${own}`)),
    ["handler 50", "sql", "sql", "fetch"],
  );
});
