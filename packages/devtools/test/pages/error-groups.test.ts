import assert from "node:assert/strict";
import { test } from "node:test";
import { groupErrors } from "../../src/pages/error-groups.ts";
import type { Recorded, RecordedError } from "../../src/record/recorded.ts";
import { toRecordedLine } from "../../src/record/recorded-line.ts";

const elsewhere = "TypeError: x\n    at run (node:internal/process:1:2)\n    at /srv/app/node_modules/pg/index.js:3:4";

/** As the log has written it. */
function toRecorded(error: Error): RecordedError {
  const { message, stack } = error;
  const line = toRecordedLine(
    JSON.stringify({ level: "error", msg: "failed", err: { type: error.name, message, stack } }),
  );
  return line?.error ?? assert.fail("no error");
}

function withStack(message: string, stack: string): Error {
  return Object.assign(new Error(message), { stack });
}

function record(id: string, at: string, ...errors: readonly RecordedError[]): Recorded {
  const logs = errors.map((error) => ({ start: 0, level: "error", message: "failed", fields: {}, error }));
  return { id, kind: "request", at, ms: 1, method: "GET", target: `/${id}`, spans: [], droppedSpans: 0, logs };
}

test("errors of the same type and place are one group, with their requests, the newest first", () => {
  const [two, one] = ["two", "one"].map((message) => toRecorded(new RangeError(message))) as [
    RecordedError,
    RecordedError,
  ];
  const groups = groupErrors(
    [record("b", "2026-01-02T00:00:02.000Z", two), record("a", "2026-01-02T00:00:01.000Z", one)],
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
  const [group] = groupErrors([record("a", "2026-01-02T00:00:01.000Z", toRecorded(withStack("x", stack)))], [], "zed");
  assert.deepEqual(group?.place, { text: "/srv/app/src/gone.ts:3:4", editorUrl: "zed://file/srv/app/src/gone.ts:3:4" });
});

test("a message that quotes a request names no place, and no file that it names is read", () => {
  for (const file of [import.meta.filename, "file://%zz/x", "file://evil.example/x", "/dev/zero"]) {
    const message = `no such item: \n    at run (${file}:1:1)`;
    const cause = { type: "Error", message, stack: `Error: ${message}\n    at node:internal/x:1:1` };
    const err = { type: "Error", message, stack: `Error: ${message}\n    at node:internal/x:1:1`, cause };
    const { error } = toRecordedLine(JSON.stringify({ level: "error", msg: "failed", err })) ?? {};
    assert.ok(error);
    const [group] = groupErrors([record("a", "2026-01-02T00:00:01.000Z", error)], [], "zed");
    assert.equal(group?.place, undefined, file);
  }
  for (const file of ["file://%zz/x", "/dev/zero"]) {
    const error = toRecorded(withStack("x", `Error: x\n    at run (${file}:1:1)`));
    const [group] = groupErrors([record("a", "2026-01-02T00:00:01.000Z", error)], [], "zed");
    assert.equal(group?.place?.source, undefined, file);
  }
});
