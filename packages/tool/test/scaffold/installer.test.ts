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
  await new Installer().install(folder, signal);
  assert.ok(existsSync(join(folder, "node_modules/part/package.json")));
});

test("reports a failed install and that the files were created", async () => {
  const folder = temporaryFolder("install");
  writeFiles(folder, { "package.json": "{ broken" });
  await assert.rejects(
    new Installer().install(folder, signal),
    /the files were created, but npm install failed with exit code 1/,
  );
});
