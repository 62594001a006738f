import assert from "node:assert/strict";
import { test } from "node:test";
import { groupErrors } from "../../src/devtools/error-groups.ts";
import type { Recorded, RecordedError } from "../../src/devtools/recorded.ts";

const here = new Error("here").stack ?? "";
const elsewhere = "TypeError: x\n    at run (node:internal/process:1:2)\n    at /srv/app/node_modules/pg/index.js:3:4";

function record(id: string, at: string, ...errors: readonly RecordedError[]): Recorded {
  const logs = errors.map((error) => ({ start: 0, level: "error", message: "failed", fields: {}, error }));
  return { id, kind: "request", at, ms: 1, method: "GET", target: `/${id}`, spans: [], droppedSpans: 0, logs };
}

test("errors of the same type and place are one group, with their requests, the newest first", () => {
  const groups = groupErrors(
    [
      record("b", "2026-01-02T00:00:02.000Z", { type: "RangeError", message: "two", stack: here }),
      record("a", "2026-01-02T00:00:01.000Z", { type: "RangeError", message: "one", stack: here }),
    ],
    [],
    "none",
  );
  assert.equal(groups.length, 1);
  const [group] = groups;
  assert.deepEqual([group?.message, group?.count, group?.lastAt], ["two", 2, "2026-01-02T00:00:02.000Z"]);
  assert.deepEqual(
    group?.records.map(({ id }) => id),
    ["b", "a"],
  );
  assert.match(group?.place?.text ?? "", /error-groups\.test\.ts:\d+:\d+$/);
  assert.equal(group?.place?.editorUrl, undefined);
});

test("without a place in the application, errors are grouped by their message", () => {
  const error = (message: string) => ({ type: "TypeError", message, stack: elsewhere });
  const loose = (message: string) => ({ ...error(message), at: "2026-01-02T00:00:03.000Z", line: "failed" });
  const groups = groupErrors(
    [record("a", "2026-01-02T00:00:01.000Z", error("x"))],
    [loose("x"), loose("y")],
    undefined,
  );
  assert.deepEqual(
    groups.map(({ message, count, place, records }) => [message, count, place, records.length]),
    [
      ["x", 2, undefined, 1],
      ["y", 1, undefined, 0],
    ],
  );
});

test("a place whose file is gone has no source", () => {
  const stack = "Error: x\n    at run (/srv/app/src/gone.ts:3:4)";
  const [group] = groupErrors(
    [record("a", "2026-01-02T00:00:01.000Z", { type: "Error", message: "x", stack })],
    [],
    "zed",
  );
  assert.deepEqual(group?.place, { text: "/srv/app/src/gone.ts:3:4", editorUrl: "zed://file/srv/app/src/gone.ts:3:4" });
});
