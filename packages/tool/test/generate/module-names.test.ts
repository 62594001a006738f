import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { resolveModuleNames } from "../../src/generate/module-names.ts";
import { runTool } from "../support/tool.ts";

test("takes the plural of the rules, of --plural, or confirmed with --yes", () => {
  assert.deepEqual(resolveModuleNames({ name: "post" }), { singular: "post", plural: "posts" });
  assert.deepEqual(resolveModuleNames({ name: "health", plural: "health" }), { singular: "health", plural: "health" });
  assert.deepEqual(resolveModuleNames({ name: "octopus", plural: "octopodes" }).plural, "octopodes");
  assert.deepEqual(resolveModuleNames({ name: "health", yes: true }).plural, "healths");
});

const refused = [
  ["health", /--name has no usual plural: confirm healths with --yes, or give one with --plural=health\n$/],
  ["user-health", /--plural=user-health\n$/],
  ["sqlite-thing", /the database reserves the table sqlite_things\n$/],
  ["tenon-migration", /reserves the table tenon_migrations/],
  ["pg-class", /reserves the table pg_classes/],
  ["value", /reserves the table values/],
  ["class", /reserved word "class"/],
  ["job", /src\/jobs\.module\.ts is the module of background jobs/],
] as const;

test("refuses names that the database reserves or that have no usual plural, and writes nothing", async () => {
  const folder = temporaryFolder("module-names");
  await runTool(folder, "app", "--name=shop");
  const shop = join(folder, "shop");
  const before = globSync("**/*", { cwd: shop });
  for (const [name, message] of refused) {
    const { code, stderr } = await runTool(shop, "g", "module", `--name=${name}`, "--type=resource");
    assert.equal(code, 2, name);
    assert.match(stderr, message);
  }
  const bad = await runTool(shop, "g", "module", "--name=health", "--plural=../up", "--type=resource");
  assert.match(bad.stderr, /--plural must be lower-case words/);
  const live = await runTool(shop, "g", "module", "--name=live", "--type=plain");
  assert.match(live.stderr, /--name must not be "live": src\/live\.module\.ts is the module of live routes/);
  const plural = await runTool(shop, "g", "module", "--name=mail", "--plural=mails", "--type=plain");
  assert.match(plural.stderr, /--plural is for --type=resource/);
  assert.deepEqual(globSync("**/*", { cwd: shop }), before);
});

test("refuses a name whose classes have the names of another module's", async () => {
  const folder = temporaryFolder("module-names");
  await runTool(folder, "app", "--name=shop");
  const shop = join(folder, "shop");
  assert.equal((await runTool(shop, "g", "module", "--name=item-3", "--type=plain")).code, 0);
  const { code, stderr } = await runTool(shop, "g", "module", "--name=item3", "--type=plain");
  assert.equal(code, 1);
  assert.match(stderr, /item3 and src\/item-3 would have the same class names: nothing was changed/);
});

test("names a plain module as it is given, and only a resource in the plural", async () => {
  const folder = temporaryFolder("module-names");
  await runTool(folder, "app", "--name=shop");
  const shop = join(folder, "shop");
  for (const [name, type] of [
    ["mail", "plain"],
    ["mail", "resource"],
    ["health", "plain"],
  ]) {
    const { code, stderr } = await runTool(shop, "g", "module", `--name=${name}`, `--type=${type}`);
    assert.equal(code, 0, stderr);
  }
  const modules = globSync("src/{mail,health}*/*.module.ts", { cwd: shop }).sort();
  assert.deepEqual(modules, ["src/health/health.module.ts", "src/mail/mail.module.ts", "src/mails/mails.module.ts"]);
});
