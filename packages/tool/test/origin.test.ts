import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../test/support/temporary-folder.ts";
import { readOrigin, toSpecifier } from "../src/origin.ts";

test("uses its own version when the tool is installed", () => {
  const folder = join(temporaryFolder("origin"), "node_modules/tenon");
  writeFiles(folder, { "package.json": '{ "version": "1.2.3" }' });
  const origin = readOrigin(folder);
  assert.deepEqual(origin, { version: "1.2.3", checkout: undefined });
  assert.equal(toSpecifier(origin, "core"), "^1.2.3");
});

test("links the packages of the checkout when the tool runs in one", () => {
  const packages = temporaryFolder("origin");
  mkdirSync(join(packages, "core/src"), { recursive: true });
  writeFileSync(join(packages, "core/tsconfig.json"), "{}");
  writeFiles(join(packages, "tool"), { "package.json": '{ "version": "1.2.3" }' });
  assert.equal(toSpecifier(readOrigin(join(packages, "tool")), "data"), `file:${join(packages, "data")}`);
});
