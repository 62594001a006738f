import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root, runOrFail, tool } from "../../../test/support/run.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { applyChanges } from "../src/generate/changes.ts";
import { toModuleNames, toReplacements } from "../src/names.ts";
import { moduleTypes, readTemplate } from "../src/templates.ts";

test("formats the generated code as the workspace's formatter does, for names of every length", async () => {
  const folder = temporaryFolder("widths");
  const ofOneWord = Array.from({ length: 60 }, (_, index) => `a${"q".repeat(index)}`);
  const ofManyWords = Array.from({ length: 15 }, (_, index) => `${"of-".repeat(index + 5)}x`);
  for (const name of [...ofOneWord, ...ofManyWords]) {
    const types = name.length % 10 === 0 ? moduleTypes : (["resource"] as const);
    for (const type of types) {
      const target = join(folder, `${type}-${name}`);
      mkdirSync(target);
      const files = await readTemplate(`module-${type}`, toReplacements(toModuleNames(name)));
      assert.ok(files.size > 5);
      applyChanges(
        target,
        [...files].map(([path, after]) => ({ path, before: undefined, after })),
      );
    }
  }
  const { formatter } = JSON.parse(readFileSync(join(root, "biome.json"), "utf8")) as { formatter: object }; // biome checks it
  writeFileSync(join(folder, "biome.json"), `${JSON.stringify({ formatter }, undefined, 2)}\n`);
  await runOrFail(tool("biome"), ["format", "."], { cwd: folder });
});
