import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root, run } from "../../../../test/support/run.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { readCheckoutCheck, readOrigin, toAppReadme, toSpecifier } from "../../src/scaffold/origin.ts";
import { runTool } from "../support/tool.ts";

test("uses its own version when the tool is installed", () => {
  const folder = join(temporaryFolder("origin"), "node_modules/tenon");
  writeFiles(folder, { "package.json": '{ "version": "1.2.3" }' });
  const origin = readOrigin(folder);
  assert.deepEqual(origin, { version: "1.2.3", checkout: undefined });
  assert.equal(toSpecifier(origin, "@tenon/core"), "^1.2.3");
  assert.equal(toSpecifier(origin, "tenon"), "^1.2.3");
});

test("links the packages of the checkout when the tool runs in one", () => {
  const packages = temporaryFolder("origin");
  mkdirSync(join(packages, "core/src"), { recursive: true });
  writeFileSync(join(packages, "core/tsconfig.json"), "{}");
  writeFiles(join(packages, "tool"), { "package.json": '{ "version": "1.2.3" }' });
  const origin = readOrigin(join(packages, "tool"));
  assert.equal(toSpecifier(origin, "@tenon/data"), `file:${join(packages, "data")}`);
  assert.equal(toSpecifier(origin, "tenon"), `file:${join(packages, "tool")}`);
});

test("says in the README of an application that its packages come from a checkout", async () => {
  const folder = temporaryFolder("origin");
  await runTool(folder, "new", "shop");
  const text = readFileSync(join(folder, "shop/README.md"), "utf8");
  assert.ok(text.includes(`uses Tenon from a checkout: its packages are links to \`${join(root, "packages")}\``), text);
  const installed = { version: "1.2.3", checkout: undefined };
  assert.equal(toAppReadme("# shop\n", installed), "# shop\n");
  assert.equal(readCheckoutCheck(installed), undefined);
});

test("reports a checkout that has moved, with the folder and the remedy", async () => {
  const folder = temporaryFolder("origin");
  const app = join(folder, "shop");
  await runTool(folder, "new", "shop");
  const manifest = join(app, "package.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll(join(root, "packages"), join(folder, "packages")));
  const start = () => run(process.execPath, ["--import", "./checkout.mjs", "--eval", "0"], { cwd: app });
  assert.deepEqual(await start(), {
    code: 1,
    stdout: "",
    stderr: `The Tenon checkout that this application uses is not at ${join(folder, "packages")} any more. Replace this folder in package.json by its new one, and run npm install.\n`,
  });
  writeFiles(join(folder, "moved"), {
    "core/package.json": "{}",
    "data/package.json": "{}",
    "jobs/package.json": "{}",
    "devtools/package.json": "{}",
    "tool/package.json": "{}",
  });
  renameSync(join(folder, "moved"), join(folder, "packages"));
  assert.deepEqual(await start(), { code: 0, stdout: "", stderr: "" });
});
