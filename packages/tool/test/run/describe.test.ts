import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { AppDescription } from "@tenon/devtools/internal";
import { reportFlags } from "../../src/run/applications.ts";

const script = new URL("../fixtures/described-app.ts", import.meta.url);

/** Runs an application with TENON_DESCRIBE, as the tool does. */
async function describe(...args: readonly string[]) {
  return start(args);
}

async function start(args: readonly string[], flags: readonly string[] = [], file = script, env = {}) {
  const child = fork(file, args, {
    execArgv: ["--conditions=@tenon/source", ...reportFlags, ...flags],
    env: { ...process.env, TENON_DESCRIBE: "1", ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc", "ignore"],
    timeout: 240_000,
  });
  const messages: AppDescription[] = [];
  child.on("message", (message) => messages.push(message as AppDescription)); // as the application sends it
  const code = new Promise<number | null>((resolve) => child.on("exit", resolve));
  assert.ok(child.stdout !== null && child.stderr !== null);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, messages, stdout, stderr };
}

const source = readFileSync(script, "utf8").split("\n");
/** The place in the fixture of the line with this text. */
const placeOf = (text: string) => ({
  file: fileURLToPath(script),
  line: source.findIndex((line) => line.includes(text)) + 1,
});

const modules = [
  {
    name: "titles",
    imports: [],
    exports: [{ name: "Title", module: "titles" }],
    declarations: [{ name: "Title", kind: "token" }],
  },
  {
    name: "stores",
    imports: ["titles"],
    exports: [
      { name: "PostsStore", module: "stores" },
      { name: "Title", module: "titles" },
    ],
    declarations: [{ name: "PostsStore", kind: "class", ...placeOf("class PostsStore") }],
  },
  {
    name: "posts",
    imports: ["stores"],
    exports: [],
    declarations: [{ name: "PostsController", kind: "class", ...placeOf("class PostsController") }],
  },
];
const injections = [
  { user: "PostsStore", module: "stores", name: "Title", from: "titles" },
  { user: "PostsController", module: "posts", name: "PostsStore", from: "stores" },
  { user: "PostsController", module: "posts", name: "Log" },
];
const shared = { modules, injections, stores: { posts: "memory" }, guarantees: { posts: "lost at a restart" } };

const show = {
  method: "GET",
  path: "/posts/:id",
  handler: "show",
  controller: "PostsController",
  middlewares: ["guard"],
  policies: ["post owner"],
  module: "posts",
  operationId: "posts.show",
  declared: true,
  receives: true,
  secured: true,
  summary: "One post",
  shadowedBy: ["GET /posts/late"],
  ...placeOf("readonly show ="),
};
const plain = {
  method: "GET",
  path: "/plain/:part",
  handler: "plain",
  controller: "PostsController",
  middlewares: [],
  policies: [],
  uncovered: ["part"],
  module: "posts",
  operationId: "posts.plain",
  declared: false,
  secured: false,
  ...placeOf("plain() {"),
};
const late = {
  method: "GET",
  path: "/posts/late",
  handler: "handler",
  controller: "late",
  middlewares: [],
  policies: [],
  declared: false,
  secured: false,
  ...placeOf('path: "/posts/late"'),
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
    assert.deepEqual(description, { tenon: 1, platform, routes: [show, plain, late], ...shared });
    assert.deepEqual(Object.keys(openapi?.paths ?? {}), ["/posts/{id}", "/plain/{part}", "/posts/late"]);
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
      policies: [],
      module: "posts",
      operationId: "posts.list",
      declared: true,
      secured: false,
      access: "public",
      summary: "All posts",
      ...placeOf("readonly list ="),
    };
    assert.deepEqual(messages, [{ tenon: 1, platform: "cli", routes: [list], ...shared }]);
  });
}

test("TENON_DESCRIBE without a process that waits stops the start with one line", async () => {
  const { spawn } = await import("node:child_process");
  const child = spawn(process.execPath, ["--conditions=@tenon/source", fileURLToPath(script), "api", "listen"], {
    env: { ...process.env, TENON_DESCRIBE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 240_000,
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(stdout, "");
  assert.equal(
    stderr,
    "Cannot start: TENON_DESCRIBE is set, and no process waits for the description. Remove it from the environment. See docs/errors.md#bad_environment\n",
  );
});

test("a bad variable is listed with the other start errors, and nothing is described", async () => {
  const file = new URL("../../../core/test/fixtures/injected-config.ts", import.meta.url);
  const { code, messages, stdout, stderr } = await start([], [], file, { PORT: "abc" });
  assert.deepEqual({ code, messages, stdout }, { code: 1, messages: [], stdout: "" });
  assert.match(
    stderr,
    /^Cannot start: 2 problems:\n {2}1\. PORT is "abc"\. It must be a whole number\.\n {2}2\. Broken .* needs Missing, .*\nSee .*#bad_environment, #unknown_dependency\n$/,
  );
});

test("a function that the tool sets gets the module and the options instead", async () => {
  const send = "process.send({ name, log }, () => process.exit(0))";
  const takeOver = `takeOver: ({ name }, { log }) => new Promise(() => ${send})`;
  const preload = `globalThis[Symbol.for("tenon.tool")] = () => ({ ${takeOver} })`;
  const { code, messages, stdout, stderr } = await start(
    ["api", "listen"],
    [`--import=data:text/javascript,${encodeURIComponent(preload)}`],
  );
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(messages[0], { name: "posts", log: { level: "silent" } });
});
