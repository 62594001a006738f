import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { parseFields } from "../../src/generate/fields.ts";
import { toReferencesFile } from "../../src/generate/reference-rows.ts";
import { readTargets } from "../../src/generate/targets.ts";

const record = (type: string, columns: string) => `export interface ${type} {\n  readonly id: string;\n${columns}}\n`;

test("reads the columns, the label and the references of a resource", async () => {
  const folder = temporaryFolder("targets");
  writeFiles(folder, {
    "src/books/books.record.ts": record("Book", "  author_id: string;\n  sold_at: string;\n  title: string;\n"),
    "src/books/books.migrations.ts": `
        .addColumn("author_id", "text", (column) =>
          column.notNull().references("authors.id").onDelete("cascade"))`,
    "src/authors/authors.record.ts": record("Author", "  age: number;\n  is_alive: boolean;\n  note: string | null;\n"),
  });
  const targets = readTargets(folder, parseFields("book:ref"));
  const book = targets.get("books") ?? assert.fail();
  assert.equal(book.label, "title");
  assert.equal(book.references.get("author_id")?.label, undefined);
  const [[path, text] = ["", ""]] = await toReferencesFile({ singular: "loan", plural: "loans" }, targets);
  assert.equal(path, "test/support/loans.references.ts");
  assert.match(text, /"authors"\)\.values\(\{ id: "sample", age: 1, is_alive: true, note: null \}\)[\s\S]*"books"/);
  assert.match(text, /author_id: "sample"/);
});

test("follows no table that refers to itself", () => {
  const folder = temporaryFolder("targets");
  writeFiles(folder, {
    "src/pages/pages.record.ts": record("Page", "  page_id: string;\n"),
    "src/pages/pages.migrations.ts": '"page_id", "text", (column) => column.notNull().references("pages.id")',
  });
  assert.equal(readTargets(folder, parseFields("page:ref")).get("pages")?.references.size, 0);
});
