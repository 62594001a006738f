import assert from "node:assert/strict";
import { test } from "node:test";
import { toPrettyLine } from "../../src/log/log-pretty.ts";

function pretty(line: object, color = false): string {
  return toPrettyLine(`${JSON.stringify(line)}\n`, color);
}

const time = "2026-01-02T03:04:05.678Z";

test("a line is time, level, name, message and fields", () => {
  const line = { level: "info", time, name: "Posts", id: "a1", status: 200, tags: ["x", 1], msg: "request" };
  assert.equal(pretty(line), '03:04:05.678 INFO  Posts request id=a1 status=200 tags=["x",1]\n');
});

test("an error follows on lines of its own, indented, with its causes", () => {
  const err = {
    type: "Error",
    message: "outer",
    stack: "Error: outer\n    at one (a.ts:1:1)",
    development: { sql: "select 1" },
    errors: [{ message: "part", stack: "Error: part" }, "text"],
    cause: { type: "Error", message: "inner", stack: "Error: inner\n    at two (b.ts:2:2)" },
  };
  assert.equal(
    pretty({ level: "error", time, err, msg: "failed" }),
    `03:04:05.678 ERROR failed
    Error: outer
    at one (a.ts:1:1)
    sql: select 1
    one of Error: part
    one of text
    caused by Error: inner
    at two (b.ts:2:2)
`,
  );
});

test("an err that is not an error is written as it is", () => {
  const odd = { stack: "Error: odd", errors: { title: "is required" }, development: "yes" };
  assert.equal(pretty({ level: "error", time, err: odd }), "03:04:05.678 ERROR\n    Error: odd\n");
  assert.equal(pretty({ level: "error", time, err: "gone", msg: "failed" }), "03:04:05.678 ERROR failed\n    gone\n");
});

test("control characters and direction marks are written as escapes, wherever they come from", () => {
  const bad = "\u001b[2J\r\n\u0085\u009b\u2028\u2029\u202e\u2066";
  const escaped = "\\u001b[2J\\u000d\\u000a\\u0085\\u009b\\u2028\\u2029\\u202e\\u2066";
  assert.equal(
    pretty({ level: "info", time, name: bad, msg: bad, [bad]: bad, nested: { a: "\u009b" } }),
    `03:04:05.678 INFO  ${escaped} ${escaped} ${escaped}=${escaped} nested={"a":"\\u009b"}\n`,
  );
  assert.equal(
    pretty({ level: "error", time, err: { message: bad, stack: `Error: ${bad}` }, msg: "x" }),
    "03:04:05.678 ERROR x\n    Error: \\u001b[2J\n    \\u0085\\u009b\\u2028\\u2029\\u202e\\u2066\n",
  );
});
