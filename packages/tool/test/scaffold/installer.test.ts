import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { Installer } from "../../src/scaffold/installer.ts";

const { signal } = new AbortController();

test("runs npm install in the folder of the application", async () => {
  const folder = temporaryFolder("install");
  writeFiles(folder, {
    "package.json": '{ "name": "shop", "dependencies": { "part": "file:./part" } }',
    "part/package.json": '{ "name": "part", "version": "1.0.0" }',
  });
  assert.equal(await new Installer().install(folder, signal), 0);
  assert.ok(existsSync(join(folder, "node_modules/part/package.json")));
});

test("reports a failed install and that the files were created", async () => {
  const folder = temporaryFolder("install");
  writeFiles(folder, { "package.json": "{ broken" });
  const steps = ["npm install"];
  const lines = new Installer().finish({ lines: [], summary: "Ready.", steps, folder, install: true, signal });
  await assert.rejects(Array.fromAsync(lines), /the files were created, but npm install failed with exit code 1/);
});
