import assert from "node:assert/strict";
import { test } from "node:test";
import { runFixture } from "../support/run-fixture.ts";

const run = (way: string, env: Record<string, string> = {}) => runFixture("failing-start.ts", [way], env);
// all at once: each of them is a process that takes its time to load
const runs = {
  wiring: run("wiring"),
  listen: run("hook-listen"),
  fetch: run("hook-fetch"),
  start: run("hook-start"),
  port: run("port"),
  debug: run("hook-listen", { LOG_LEVEL: "debug" }),
  level: run("wiring", { LOG_LEVEL: "verbose" }),
};

// the escape character of the message is left out
const hookMessage =
  'Cannot start: onStart() of Migrations (module "data") failed: table posts is[2J locked. LOG_LEVEL=debug shows where it was thrown. See docs/errors.md#start_hook_failed\n';

test("a wiring mistake ends the process with code 1, one readable message and its page", async () => {
  assert.deepEqual(await runs.wiring, {
    code: 1,
    stdout: "",
    stderr: `Cannot start: 2 problems:
  1. Signup (module "app") needs Mailer, which no module declares (Signup → Mailer). Add Mailer to the declarations of "app", or import the module that exports it.
  2. PostsController (module "app") has no routes() method. Add routes() { return [this.index]; }, or give it another name if it is not a controller.
See docs/errors.md#unknown_dependency, #controller_without_routes
`,
  });
});

for (const way of ["listen", "fetch", "start"] as const) {
  test(`a failing onStart() during ${way} stops what had started and ends the process with code 1 and one line`, async () => {
    assert.deepEqual(await runs[way], {
      code: 1,
      stdout: "database started\ndatabase stopped\n",
      stderr: hookMessage,
    });
  });
}

test("a bad option of listen ends the process with one line, before any hook runs", async () => {
  assert.deepEqual(await runs.port, {
    code: 1,
    stdout: "",
    stderr:
      "Cannot start: port of listen() is -1. It takes a whole number from 0 to 65535. See docs/errors.md#bad_option\n",
  });
});

test("LOG_LEVEL=debug adds the stack of the failed start and of its cause", async () => {
  const { code, stderr } = await runs.debug;
  assert.equal(code, 1);
  assert.ok(stderr.startsWith(hookMessage), stderr);
  assert.match(
    stderr,
    /\ncaused by Error: table posts is\[2J locked\n {4}at Migrations\.onStart \(.*failing-start\.ts:/,
  );
});

test("a bad LOG_LEVEL is reported together with the mistakes of the wiring", async () => {
  const { code, stdout, stderr } = await runs.level;
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(
    stderr,
    /^Cannot start: 3 problems:\n {2}1\. LOG_LEVEL is "verbose"\. Use one of: trace, .*\n {2}2\. Signup .*\n {2}3\. PostsController .*\nSee .*#bad_environment, #unknown_dependency, #controller_without_routes\n$/,
  );
});
