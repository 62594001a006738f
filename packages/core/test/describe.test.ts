import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { AppDescription } from "@tenon/core/platform";

const script = new URL("fixtures/described-app.ts", import.meta.url);

/** Runs an application with TENON_DESCRIBE, as the tool does. */
async function describe(...args: readonly string[]) {
  const child = fork(script, args, {
    execArgv: ["--conditions=@tenon/source"],
    env: { ...process.env, TENON_DESCRIBE: "1" },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    timeout: 60_000,
  });
  const messages: AppDescription[] = [];
  child.on("message", (message) => messages.push(message as AppDescription)); // as the application sends it
  const code = new Promise<number | null>((resolve) => child.on("exit", resolve));
  assert.ok(child.stdout !== null && child.stderr !== null);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, messages, stdout, stderr };
}

const show = {
  method: "GET",
  path: "/posts/:id",
  handler: "show",
  controller: "PostsController",
  middlewares: ["guard"],
  module: "posts",
  operationId: "posts.show",
  declared: true,
  secured: true,
  summary: "One post",
};
const plain = {
  method: "GET",
  path: "/plain",
  handler: "plain",
  controller: "PostsController",
  middlewares: [],
  module: "posts",
  operationId: "posts.plain",
  declared: false,
  secured: false,
};
const late = {
  method: "GET",
  path: "/late",
  handler: "handler",
  controller: "late",
  middlewares: [],
  declared: false,
  secured: false,
};

for (const [platform, method] of [
  ["api", "listen"],
  ["api", "start"],
  ["web", "listen"],
] as const) {
  test(`${method}() of ${platform}() sends the description instead, and starts nothing`, async () => {
    const { code, messages, stdout, stderr } = await describe(platform, method);
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
    const [{ openapi, ...description } = assert.fail("no message"), ...others] = messages;
    assert.deepEqual(others, []);
    assert.deepEqual(description, { tenon: 1, platform, routes: [show, plain, late] });
    assert.deepEqual(Object.keys(openapi?.paths ?? {}), ["/posts/{id}", "/plain", "/late"]);
  });
}

for (const method of ["run", "execute"]) {
  test(`${method}() of cli() sends the commands, without a document`, async () => {
    const { code, messages, stdout, stderr } = await describe("cli", method);
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
    const list = {
      path: "posts/list",
      handler: "list",
      controller: "PostsController",
      middlewares: [],
      module: "posts",
      operationId: "posts.list",
      declared: true,
      secured: false,
      summary: "All posts",
    };
    assert.deepEqual(messages, [{ tenon: 1, platform: "cli", routes: [list] }]);
  });
}

test("TENON_DESCRIBE without a process that waits stops the start with one line", async () => {
  const { spawn } = await import("node:child_process");
  const child = spawn(process.execPath, ["--conditions=@tenon/source", script.pathname, "api", "listen"], {
    env: { ...process.env, TENON_DESCRIBE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 60_000,
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(stdout, "");
  assert.equal(
    stderr,
    "Cannot start: TENON_DESCRIBE is set, and no process waits for the description. Remove it from the environment.\n",
  );
});
