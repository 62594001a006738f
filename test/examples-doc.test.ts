import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type Block, readBlocks } from "./support/markdown.ts";
import { root, run } from "./support/run.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

const folder = temporaryFolder("examples-doc");
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));

const blocks = readBlocks().filter(({ info }) => info === "ts");
/** Recipes with code. recipes-doc.test.ts runs the others. */
const recipes = [
  "recipes/adding-a-column",
  "recipes/file-uploads",
  "recipes/optional-authentication",
  "recipes/pagination",
  "recipes/server-sent-events",
];
const checked = blocks.filter(({ code }) => code.includes('from "node:assert/strict"'));

/** As in readme.test.ts: a block whose first line names a file is that file for the blocks that import it. */
function fileOf({ document, line, code }: Block): string {
  return join(document.replace(/\.md$/, ""), /^\/\/ ([\w.-]+\.ts)$/m.exec(code)?.[1] ?? `line-${line}.ts`);
}

test("pages about behaviour have examples that check themselves", () => {
  const documents = new Set(checked.map(({ document }) => document));
  for (const page of ["error-responses", "faq", "migrating", "testing", "validation", ...recipes])
    assert.ok(documents.has(`docs/${page}.md`), page);
});

for (const block of checked) {
  test(`the example in line ${block.line} of ${block.document} does what it says`, async () => {
    const siblings = blocks.filter(({ document }) => document === block.document);
    writeFiles(folder, {
      "package.json": '{ "type": "module" }',
      ...Object.fromEntries(siblings.map((sibling) => [fileOf(sibling), sibling.code])),
    });
    const file = join(folder, fileOf(block));
    const { code, stdout, stderr } = await run(process.execPath, ["--conditions=@tenon/source", file], {
      cwd: dirname(file),
    });
    assert.equal(code, 0, `${stdout}${stderr}`);
  });
}
