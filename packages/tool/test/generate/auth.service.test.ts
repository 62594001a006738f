import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { checkStyle, checkTypes, isFull, runScript, runScriptOrFail } from "../support/generated-app.ts";
import { runTool } from "../support/tool.ts";

const folder = temporaryFolder("auth");

async function generate(template: string): Promise<string> {
  await runTool(folder, "app", `--name=${template}-app`, `--template=${template}`);
  const app = join(folder, `${template}-app`);
  symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  const { code, stderr } = await runTool(app, "g", "auth");
  assert.equal(code, 0, stderr);
  return app;
}
const apps = Promise.all(["api", "full"].map(generate));

test("generates registration and login that pass lint, types and their tests", async () => {
  const all = await apps;
  for (const app of all) {
    const { code, stderr } = await runTool(app, "g", "resource", "post", "--fields=title:string,author:ref:user");
    assert.equal(code, 0, stderr);
    assert.equal((await runTool(app, "g", "resource", "tag")).code, 0);
    const controller = readFileSync(join(app, "src/posts/posts.controller.ts"), "utf8");
    assert.equal(controller.match(/middlewares: \[BearerAuth\]/g)?.length, 3);
  }
  await checkStyle(all);
  await checkTypes(folder, all);
  for (const app of isFull ? all : all.slice(0, 1)) {
    const output = await runScriptOrFail(app, "test", [], { NODE_OPTIONS: "--test-isolation=none" });
    assert.match(output, /registers, logs in and shows the user of the token/);
    assert.match(output, /POST \/posts responds with 401 without a token/);
    assert.match(output, /POST \/tags responds with 401 without a token/);
  }
});

test("adds the dependency, allows its install script and imports the module", async () => {
  const [api = ""] = await apps;
  const manifest = JSON.parse(readFileSync(join(api, "package.json"), "utf8")) as Record<string, object>; // from the template
  assert.ok("@tenon/auth" in (manifest.dependencies ?? {}) && "bcrypt" in (manifest.allowScripts ?? {}));
  assert.match(readFileSync(join(api, "src/app.module.ts"), "utf8"), /UsersModule/);
});

test("does not start in production without JWT_SECRET", async () => {
  const [api = ""] = await apps;
  const { code, stderr } = await runScript(api, "start", [], { NODE_ENV: "production", PORT: "0", JWT_SECRET: "" });
  assert.equal(code, 1);
  assert.match(stderr, /JWT_SECRET is not set/);
});

test("refuses an application with users, and one without routes", async () => {
  const [api = ""] = await apps;
  const twice = await runTool(api, "g", "auth");
  assert.equal(twice.code, 1);
  assert.match(twice.stderr, /src\/users exists already: nothing was changed/);
  await runTool(folder, "app", "--name=tool", "--template=cli");
  const { code, stderr } = await runTool(join(folder, "tool"), "g", "auth");
  assert.equal(code, 1);
  assert.match(stderr, /needs the routes of src\/main\.api\.ts/);
  assert.ok(!existsSync(join(folder, "tool/src/users")));
});
