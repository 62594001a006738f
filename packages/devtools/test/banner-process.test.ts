import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../../../test/support/run.ts";

const cwd = join(import.meta.dirname, "..");

const toArgs = (options: string, platform: string) => [
  "--conditions=@tenon/source",
  "--input-type=module",
  "--eval",
  `import { api, createApp, defineModule } from "@tenon/core";
const app = await createApp(defineModule({ name: "app" }), api(${platform}), ${options});
app.log.warn("one warning");
await app.listen({ port: 0 });
await app.stop();
`,
];

/** What an application prints that starts and stops. */
async function printed(
  env: Readonly<Record<string, string>>,
  options = "{ devtools: { file: false } }",
  platform = "{}",
): Promise<string> {
  const { code, stdout, stderr } = await run(process.execPath, toArgs(options, platform), { cwd, env });
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

test("tenon dev shows the banner once the application listens, at the first start only", async () => {
  assert.match(
    await printed({ TENON_DEV: "start" }),
    /^.*one warning.*\n\n {2}\S+[\s\S]*\n {2}url {7}http:\/\/127[\s\S]*routes {4}0\n\n$/,
  );
  assert.match(await printed({ TENON_DEV: "restart" }), /^.*one warning.*\n$/);
});

test("without a terminal, in production and in tests the log says where the application listens", async () => {
  for (const env of [{}, { TENON_DEV: "start", NODE_ENV: "production" }]) {
    assert.match(await printed(env), /^.*one warning.*\n.*listening on http.*\n$/);
  }
  assert.doesNotMatch(await printed({ TENON_DEV: "start", NODE_TEST_CONTEXT: "child" }), /url/);
});

test("without the devtools the log says where the application listens, at the first start only", async () => {
  const without = "{ devtools: false }";
  assert.match(await printed({ TENON_DEV: "start" }, without), /^.*one warning.*\n.*listening on http.*\n$/);
  assert.match(await printed({ TENON_DEV: "restart" }, without), /^.*one warning.*\n$/);
});

test("the banner follows the level of the log", async () => {
  assert.match(await printed({ TENON_DEV: "start", LOG_LEVEL: "warn" }), /^.*one warning.*\n$/);
});

test("the banner links to the docs page and to the developer tools", async () => {
  const text = await printed({ TENON_DEV: "start" }, "{ devtools: { file: false } }", "{ docs: true }");
  assert.match(text, /\n {2}docs {6}http:\/\/127\.0\.0\.1:\d+\/docs\n {2}devtools {2}http:\/\/127\.0\.0\.1:\d+\/\S+\?/);
});

test("an application whose log goes elsewhere prints no banner", async () => {
  assert.equal(
    await printed({ TENON_DEV: "start" }, "{ devtools: { file: false }, log: { destination: { write() {} } } }"),
    "",
  );
});

test("tenon dev is told where the application listens", async () => {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const child = spawn(process.execPath, toArgs("{ devtools: { file: false } }", "{}"), {
    cwd,
    env: { ...inherited, TENON_DEV: "restart" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [[message], [code]] = await Promise.all([once(child, "message"), once(child, "exit")]);
  assert.match(message.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.deepEqual([message.tenon, code], ["listening", 0]);
});
