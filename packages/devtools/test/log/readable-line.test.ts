import assert from "node:assert/strict";
import { relative } from "node:path";
import { test } from "node:test";
import { run } from "../../../../test/support/run.ts";
import { toPrettyLine } from "../../../core/src/log/log-pretty.ts";
import { findHints } from "../../src/error-text/hints.ts";
import { toReadableLine } from "../../src/log/readable-line.ts";

/** As the log writes it to the terminal of a developer. */
const pretty = (line: object) => toPrettyLine(`${JSON.stringify(line)}\n`, false, toReadableLine);

const time = "2026-01-02T03:04:05.678Z";

test("an error has the source of the application in place of a whole stack", () => {
  const thrown = [
    `    at show (${import.meta.url}:1:8)`,
    "    at node:internal/process/task_queues:104:5",
    `    at async ${import.meta.url}:2:1`,
  ].join("\n");
  const inner = {
    type: "Error",
    message: "no such table: posts",
    stack: "Error: no such table: posts\n    at node:x:1:1",
  };
  const outer = { type: "StoreError", message: "store failure", stack: `StoreError: store failure\n${thrown}` };
  const err = { ...outer, development: { sql: "select\t1" }, cause: inner };
  const file = relative(process.cwd(), import.meta.filename);
  assert.equal(
    pretty({ level: "error", time, err, msg: "failed" }),
    `03:04:05.678 ERROR failed
    StoreError: store failure

      sql: select  1

      ${file}:1:8

      > 1 | import assert from "node:assert/strict";
          |        ^
        2 | import { relative } from "node:path";
        3 | import { test } from "node:test";

      at ${file}:2:1

    caused by Error: no such table: posts

      hint: ${findHints({ text: inner.message, source: "" })[0]}

`,
  );
  assert.match(pretty({ level: "error", time, err: inner }), /\n {4}Error: no such[^\n]*\n {4}at node:x:1:1\n$/);
});

test("a line of the access log fits 100 columns", () => {
  const id = "584fd9c4-e7bb-4e5f-bf3f-59cb7707a8c8";
  const line = {
    level: "info",
    time,
    id,
    method: "DELETE",
    path: "/posts/1",
    status: 200,
    ms: 1234.56,
    msg: "request",
  };
  const access = (more: object) => pretty({ ...line, ...more });
  assert.equal(access({}), "03:04:05.678 INFO  DELETE /posts/1 200 1234.56 ms id=584fd9c4\n");
  const long = access({ path: `/posts/${"x".repeat(200)}/comments`, worker: 2 });
  assert.match(long, /^03:04:05\.678 INFO {2}DELETE \/posts\/x+…x*\/comments 200 1234\.56 ms id=584fd9c4 worker=2\n$/);
  assert.equal(long.length - 1, 100);
  assert.match(access({ path: "/a\u009b" }), / \/a\\u009b /);
  assert.match(access({ msg: "other" }), / other id=584fd9c4-e7bb-\S+ method=DELETE path=\/posts\/1 /);
});

const logging = `import { api, createApp, defineModule } from "@tenon/core";
const options = { devtools: { file: false }, log: { pretty: true, color: false } };
const app = await createApp(defineModule({ name: "app" }), api(), options);
app.log.info({ method: "GET", path: "/a", status: 200, ms: 1 }, "request");
`;

test("createApp() writes such lines in development, and plain ones elsewhere", async () => {
  const args = ["--conditions=@tenon/source", "--input-type=module", "--eval", logging];
  for (const [env, line] of [
    [{ TENON_DEV: "restart" }, / INFO {2}GET \/a 200 1 ms\n$/],
    [{ NODE_ENV: "development" }, / INFO {2}request method=GET path=\/a status=200 ms=1\n$/],
  ] as const) {
    const { code, stdout, stderr } = await run(process.execPath, args, { cwd: import.meta.dirname, env });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, line);
  }
});
