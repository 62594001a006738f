import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { addToOwner, parseNewColumn } from "../../src/migrate/module-migrations.ts";

const path = "src/blog-posts/blog-posts.migrations.ts";
const generated = `import type { Migration } from "@tenon/data";

export const migrations: readonly Migration[] = [
  {
    name: "blog-posts-001",
    up: (db) => db.schema.createTable("blog_posts").execute(),
  },
];
`;

function createFolder(text: string): string {
  const folder = temporaryFolder("module-migrations");
  writeFiles(folder, { [path]: text });
  return folder;
}

async function add(folder: string, name: string) {
  const column = parseNewColumn(name);
  assert.ok(column !== undefined);
  return addToOwner(folder, column);
}

test("a new column of a generated module is the next migration of its list", async () => {
  const folder = createFolder(generated);
  const first = await add(folder, "add-status-to-blog-posts");
  assert.equal(first?.note, "has blog-posts-002-add-status");
  assert.equal(
    first.after,
    generated.replace(
      "\n];",
      `
  {
    name: "blog-posts-002-add-status",
    draft: true, // remove this line when the migration is complete: until then, it does not run
    up: (db) => db.schema.alterTable("blog_posts").addColumn("status", "text").execute(),
    down: (db) => db.schema.alterTable("blog_posts").dropColumn("status").execute(),
  },
];`,
    ),
  );
  writeFileSync(join(folder, path), first.after);
  assert.equal((await add(folder, "add-note-to-blog-posts"))?.note, "has blog-posts-003-add-note");
  assert.equal(readFileSync(join(folder, path), "utf8"), first.after, "the caller writes the file");
});

test("a list without a last comma, and one with a comment, stay valid", async () => {
  for (const end of ["  }\n];", "  }, // the table\n];"]) {
    const change = await add(createFolder(generated.replace("  },\n];", end)), "add-status-to-blog-posts");
    assert.match(change?.after ?? "", /\n {2}\},(?: \/\/ the table)?\n {2}\{\n {4}name: "blog-posts-002-add-status",/);
  }
});

test("a table without a generated module, and a list that is built elsewhere, are left alone", async () => {
  assert.equal(await add(createFolder(generated), "add-status-to-users"), undefined);
  for (const text of ["export const migrations = load();\n", "export const migrations = [];\n", "no {"])
    assert.equal(await add(createFolder(text), "add-status-to-blog-posts"), undefined);
});
