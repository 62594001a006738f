import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runOrFail, tool, root as workspace } from "../../../test/support/run.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { applyChanges } from "../src/generate/edit/changes.ts";
import { defaultFields } from "../src/generate/resource/fields.ts";
import { ownerField, toResourceModel } from "../src/generate/resource/resource-model.ts";
import type { Target } from "../src/generate/resource/targets.ts";
import { toModuleNames, toReplacements } from "../src/names.ts";
import { readTemplate } from "../src/templates.ts";

const users: Target = {
  plural: "users",
  table: "users",
  idType: "uuid",
  samples: new Map([["id", '"sample"']]),
  label: "name",
  hasPage: true,
  hasController: true,
  isOwned: false,
  references: new Map(),
};
const kinds = new Set(["routes", "pages", "commands"] as const);
const root = {
  moduleName: "AppModule",
  moduleFile: "src/app.module.ts",
  platformName: "createPlatform",
  platformFile: "src/platform.ts",
};
/** A resource with the parts that depend on others. */
const owned = toResourceModel({
  fields: [ownerField, ...defaultFields],
  targets: new Map([["users", users]]),
  kinds,
  guards: { routes: "SessionAuth", pages: true },
  owner: true,
  isPublic: false,
  root,
});
const plain = toResourceModel({
  fields: defaultFields,
  targets: new Map(),
  kinds,
  guards: { routes: undefined, pages: false },
  owner: false,
  isPublic: true,
  root,
});

test("formats the generated code as the workspace's formatter does, for names of every length", async () => {
  const folder = temporaryFolder("widths");
  const ofOneWord = Array.from({ length: 60 }, (_, index) => `a${"q".repeat(index)}`);
  const ofManyWords = Array.from({ length: 15 }, (_, index) => `${"of-".repeat(index + 5)}x`);
  for (const [at, name] of [...ofOneWord, ...ofManyWords].entries()) {
    const variants = [
      ["resource", at % 2 === 0 ? owned : plain],
      ...(name.length % 10 === 0 ? [["plain", plain] as const] : []),
    ] as const;
    for (const [index, [type, model]] of variants.entries()) {
      const target = join(folder, `${index}-${name}`);
      mkdirSync(target);
      const isWanted = (path: string) => model.owner || !/\.(?:owner|references|access\.test)\.ts$/.test(path);
      const names = toReplacements(toModuleNames(name));
      const files = await readTemplate(`module-${type}`, { names, isWanted, model });
      assert.ok(files.size > 5);
      applyChanges(
        target,
        [...files].map(([path, after]) => ({ path, before: undefined, after })),
      );
    }
  }
  const { formatter } = JSON.parse(readFileSync(join(workspace, "biome.json"), "utf8")) as { formatter: object }; // biome checks it
  writeFileSync(join(folder, "biome.json"), `${JSON.stringify({ formatter }, undefined, 2)}\n`);
  await runOrFail(tool("biome"), ["format", "."], { cwd: folder });
});

test("fails with the name of the template where the model lacks what it prints", async () => {
  for (const [broken, cause] of [
    [{ ...owned, samples: {} }, /a tag prints undefined, which is not a string/],
    [{}, /\w+ is not defined/],
  ] as const) {
    const read = readTemplate("module-resource", {
      isWanted: (path) => path === "test/sample-items.test.ts",
      model: broken,
    });
    await assert.rejects(read, (error: Error) => {
      assert.equal(error.message, "the template module-resource/test/sample-items.test.ts cannot be rendered");
      assert.match(String(error.cause), cause);
      return true;
    });
  }
});
