import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
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
  "recipes/api-versions",
  "recipes/debugging",
  "recipes/domain-errors",
  "recipes/downloads",
  "recipes/error-trackers",
  "recipes/events-or-channels",
  "recipes/file-storage",
  "recipes/file-uploads",
  "recipes/front-end",
  "recipes/full-text-search",
  "recipes/jwt-or-session",
  "recipes/many-to-many",
  "recipes/monorepo",
  "recipes/multi-tenant",
  "recipes/optional-authentication",
  "recipes/pagination",
  "recipes/prisma-drizzle",
  "recipes/roles",
  "recipes/server-sent-events",
  "recipes/serverless",
  "recipes/several-databases",
  "recipes/social-login",
  "recipes/soft-delete",
  "recipes/transactions",
  "recipes/translations",
  "recipes/webhooks",
];
const checked = blocks.filter(({ code }) => code.includes('from "node:assert/strict"'));

/** As in readme.test.ts: a block whose first line names a file is that file for the blocks that import it. */
function fileOf({ document, line, code }: Block): string {
  return join(document.replace(/\.md$/, ""), /^\/\/ ([\w.-]+\.ts)$/m.exec(code)?.[1] ?? `line-${line}.ts`);
}

test("pages about behaviour have examples that check themselves", () => {
  const documents = new Set(checked.map(({ document }) => document));
  for (const page of [
    "error-responses",
    "faq",
    "comparisons/the-application",
    "routes-as-records",
    "testing",
    "validation",
    ...recipes,
  ])
    assert.ok(documents.has(`docs/${page}.md`), page);
});

/** One process for all of them: it ends by itself, because every example stops what it has started. */
const imported = importAll();

async function importAll() {
  const named = blocks.filter(({ document }) => checked.some((block) => block.document === document));
  writeFiles(folder, {
    "package.json": '{ "type": "module" }',
    ...Object.fromEntries(named.map((block) => [fileOf(block), block.code])),
  });
  const files = checked.map((block) => join(folder, fileOf(block)));
  const script = join(root, "test/support/import-examples.ts");
  const { code, stdout, stderr } = await run(process.execPath, ["--conditions=@tenon/source", script, ...files], {
    timeout: 240_000,
  });
  const lines = [...stdout.matchAll(/^example (.*)$/gm)].map(([, text = ""]) => text);
  const results = lines.map((text) => JSON.parse(text) as { file: string; failure: string }); // of import-examples.ts
  return { code, output: `${stdout}${stderr}`, failures: new Map(results.map(({ file, failure }) => [file, failure])) };
}

for (const block of checked) {
  test(`the example in line ${block.line} of ${block.document} does what it says`, async () => {
    const { failures, output } = await imported;
    const failure = failures.get(join(folder, fileOf(block)));
    assert.equal(failure ?? `it did not end:\n${output}`, "");
  });
}

test("no example leaves anything open", async () => {
  const { code, output } = await imported;
  assert.equal(code, 0, output);
});
