import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isRunning } from "../../../core/test/support/is-running.ts";
import { until } from "../../../core/test/support/until.ts";
import { Applications } from "../../src/run/applications.ts";
import { createApplication, toDescribing } from "../support/described-app.ts";

const signal = new AbortController().signal;

function describe(script: string, deadline?: number) {
  const scripts = { start: "node --conditions=@tenon/source src/main.ts" }; // a report of a failure loads core
  const folder = createApplication({ "src/main.ts": script }, scripts);
  return new Applications(deadline).describe({ folder, signal });
}

test("an application describes itself, and is ended", async () => {
  const { platform, routes } = await describe(toDescribing({ routes: [{ path: "/" }] }));
  assert.equal(platform, "api");
  assert.deepEqual(routes, [{ path: "/" }]);
});

test("messages of the application's own are ignored, and its output is not the result", async () => {
  const noise = `console.log("x".repeat(1e6)); process.send("hello"); process.send({ hello: 1 });`;
  assert.equal((await describe(`${noise}\n${toDescribing({ platform: "web" })}`)).platform, "web");
});

test("an application that fails to start shows its errors", async () => {
  const failing = describe('console.log("out"); throw new Error("DATABASE_URL is missing");');
  await assert.rejects(failing, /^HttpError: src\/main\.ts failed to start: src\/main\.ts:1: DATABASE_URL is missing$/);
  await assert.rejects(describe('process.kill(process.pid, "SIGKILL")'), /failed to start: SIGKILL$/);
});

test("an application that ends without describing itself is an error", async () => {
  await assert.rejects(
    describe("export {};"),
    /src\/main\.ts ended without describing itself: it calls no listen\(\), run\(\) or start\(\), or @tenon\/core is not installed/,
  );
});

test("the version of a framework that may be too old is named", async () => {
  const core = JSON.stringify({ name: "@tenon/core", version: "0.0.9" });
  const folder = createApplication({ "src/main.ts": "export {};", "node_modules/@tenon/core/package.json": core });
  const pending = new Applications().describe({ folder, signal });
  await assert.rejects(pending, /ended without describing itself: .* or its @tenon\/core 0\.0\.9 may be too old$/);
});

test("an application that never describes itself is ended at the deadline", async () => {
  await assert.rejects(describe("setInterval(() => {}, 1000);", 300), /did not describe itself within 0\.3 s/);
});

test("a description in another form is an error", async () => {
  await assert.rejects(describe(toDescribing({ tenon: 2 })), /a form that this tenon does not know: update tenon/);
  await assert.rejects(describe(toDescribing({ routes: null })), /a form that this tenon does not know/);
});

test("an interruption ends the application", async () => {
  const folder = createApplication({
    "src/main.ts":
      'process.getBuiltinModule("node:fs").writeFileSync("up", process.pid + "\\n"); setInterval(() => {}, 1000);',
  });
  const controller = new AbortController();
  const pending = new Applications(3_600_000).describe({ folder, signal: controller.signal });
  const up = join(folder, "up");
  await until(() => existsSync(up) && readFileSync(up, "utf8").endsWith("\n"), "application");
  const pid = Number(readFileSync(up, "utf8"));
  controller.abort();
  await assert.rejects(pending, { name: "AbortError" });
  await until(() => !isRunning(pid), "end of the application");
  await assert.rejects(new Applications().describe({ folder, signal: controller.signal }), { name: "AbortError" });
});
