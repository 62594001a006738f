import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { toSource } from "../../src/run/source.ts";

test("a file is shown relative to its application, also through a symbolic link", () => {
  const folder = temporaryFolder("source");
  const [real, link] = [join(folder, "real"), join(folder, "link")];
  mkdirSync(real);
  symlinkSync(real, link);
  assert.equal(toSource({ file: join(real, "src/a.ts"), line: 3 }, link), "src/a.ts:3");
  assert.equal(toSource({ file: join(real, "src/a.ts") }, real), "src/a.ts");
});

test("a file elsewhere is shown with its whole path, and an unknown one is not shown", () => {
  assert.equal(toSource({ file: "/other/a.ts", line: 1 }, "/missing/app"), "/other/a.ts:1");
  assert.equal(toSource({ line: 1 }, "/missing/app"), undefined);
});
