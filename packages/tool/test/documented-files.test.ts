import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createClient } from "redis";
import { readBlocks } from "../../../test/support/markdown.ts";
import { root, run } from "../../../test/support/run.ts";
import { temporaryFolder, writeFiles } from "../../../test/support/temporary-folder.ts";
import { services } from "../../data/test/support/services.ts";
import { checkStyle } from "./support/generated-app.ts";
import { runCommand, runTool } from "./support/tool.ts";

const folder = temporaryFolder("documented");

test("what the tool writes and the front-end recipe shows passes npm run lint of a new application", async () => {
  const created = await runTool(folder, "new", "shop", "-t", "full");
  assert.equal(created.code, 0, created.stderr);
  const app = join(folder, "shop");
  symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  const blocks = readBlocks().filter(({ document }) => document === "docs/recipes/front-end.md");
  const shown = blocks.flatMap(({ info, code }) => {
    const [, name = info === "json" ? "web/tsconfig.json" : ""] = /^\/\/ ([\w./-]+\.ts)\b/.exec(code) ?? [];
    return name === "" ? [] : [[name.startsWith("app.") ? `src/front-end/${name}` : name, code] as const];
  });
  assert.deepEqual(
    shown.map(([name]) => name),
    ["src/front-end/app.ts", "src/front-end/app.test.ts", "web/vite.config.ts", "web/tsconfig.json"],
  );
  writeFiles(app, {
    ...Object.fromEntries(shown),
    "web/src/main.ts": 'document.title = "Shop";\n',
    "web/dist/assets/index-4f1a.js": "var a=1;if(a==2)console.log(a)", // what vite build writes
  });
  for (const words of [
    ["openapi", "--out=openapi.json"],
    ["client", "--out=web/src/api.ts"],
    ["migrate", "make", "add-note-to-users"],
  ]) {
    const { code, stderr } = await runCommand(...words, `--in=${app}`);
    assert.equal(code, 0, stderr);
  }
  for (const words of [
    ["resource", "post", "--fields=title:string,editor:ref:user,notes:json", "--owner"],
    ["job", "tidy"],
    ["channel", "chat", "--socket"],
    ["middleware", "stopwatch"],
  ]) {
    const { code, stderr } = await runTool(app, "g", ...words);
    assert.equal(code, 0, stderr);
  }
  await checkStyle([app]);
  const migrations = join(app, "src/users/users.migrations.ts");
  writeFileSync(migrations, readFileSync(migrations, "utf8").replace(/^ *draft: true,.*\n/m, "")); // it is complete
});

test("the generated tests run on the servers of TEST_STORES, and leave no keys", {
  skip: services.postgres === undefined || services.redis === undefined,
}, async () => {
  const app = join(folder, "shop");
  const files = ["posts", "posts.access", "posts.pages", "posts.commands", "users", "tidy.jobs", "greetings.pages"];
  const runTests = (names: readonly string[], servers: string) =>
    run(
      process.execPath,
      ["--conditions=@tenon/source", "--test", "--test-isolation=none", ...names.map((name) => `test/${name}.test.ts`)],
      { cwd: app, env: { TEST_STORES: servers } },
    );
  const { code, stdout, stderr } = await runTests(files, `${services.postgres},${services.redis}`);
  assert.equal(code, 0, stdout + stderr);
  const redis = createClient({ url: services.redis ?? "" });
  await redis.connect();
  const keys = await redis.keys("shop:*"); // the prefix of the application
  redis.destroy();
  assert.deepEqual(keys, []);
  const lost = await runTests(["tidy.jobs"], "postgres://postgres@127.0.0.1:1/postgres"); // nothing listens there
  assert.equal(lost.code, 1, lost.stdout);
});
