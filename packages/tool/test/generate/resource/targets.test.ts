import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { parseFields } from "../../../src/generate/resource/fields.ts";
import { readTargets, sampleId, toReferencedRows } from "../../../src/generate/resource/targets.ts";

const dto = (type: string, fields: string) =>
  `export const ${type} = dto("${type}", {\n  id: string("required"),\n${fields}});\n`;

test("reads the columns, the label and the references of a resource", () => {
  const folder = temporaryFolder("targets");
  writeFiles(folder, {
    "src/books/books.dto.ts": dto(
      "Book",
      `  author_id: string("required", "max=60"),
  state: string("required", "oneof=new old"),
  sold_at: timestamp("required"),
  printed_on: date("required"),
  title: string("required").describe("On the cover"),
  kind: string("oneof=novel poem", "default=novel"),
  price: string("required", "decimal"),
  key: string("required", "uuid"),
  extra: json("required"),
`,
    ),
    "src/books/books.migrations.ts": `
      table
        .addColumn("id", "uuid", (column) => column.primaryKey())
        .addColumn("title", "text", (column) => column.notNull())
        .addColumn('author_id', 'text', (c) => c
          .references("authors.id").onDelete("cascade") // written by hand
          .notNull())
        .addColumn("editor_id", "text", (column) => column.references("editors.id"))`,
    "src/authors/authors.dto.ts": dto(
      "Author",
      '  age: integer("required"),\n  is_alive: boolean("default=false"),\n  note: string("nullable"),\n',
    ),
  });
  const targets = readTargets(folder, parseFields("book:ref"));
  const book = targets.get("books") ?? assert.fail();
  assert.equal(book.label, "title");
  writeFiles(folder, { "src/books/books.owner.ts": "" });
  assert.equal(readTargets(folder, parseFields("book:ref")).get("books")?.label, undefined); // rows of other users
  assert.equal(book.references.get("author_id")?.label, undefined);
  assert.deepEqual([book.idType, book.references.get("author_id")?.idType], ["uuid", "text"]);
  const first = `id: "${sampleId}", author_id: "${sampleId}", state: "new", sold_at: "2026-01-01T00:00:00.000Z"`;
  const last = `price: "1.50", key: "${sampleId}", extra: "{}"`;
  assert.deepEqual(toReferencedRows(targets), [
    { table: "authors", values: `id: "${sampleId}", age: 1, is_alive: true` },
    { table: "books", values: `${first}, printed_on: "2026-01-01", title: "Sample", kind: "novel", ${last}` },
  ]);
});

test("reads all columns of a DTO that omits some, and shows none of those", () => {
  const folder = temporaryFolder("targets");
  const stored = dto("StoredUser", '  secret: string("required"),\n  name: string("required"),\n');
  const source = `${stored}export const User = StoredUser.omit("secret").named("User");\n`;
  writeFiles(folder, { "src/users/users.dto.ts": source });
  const targets = readTargets(folder, parseFields("user:ref"));
  assert.equal(targets.get("users")?.label, "name");
  assert.deepEqual(toReferencedRows(targets), [
    { table: "users", values: `id: "${sampleId}", secret: "Sample", name: "Sample"` },
  ]);
});

test("reads the columns of a DTO that is extended, and none that only clients see", () => {
  const folder = temporaryFolder("targets");
  const source = `${dto("StoredUser", '  secret: string("required"),\n  name: string("required"),\n')}
export const User = StoredUser.omit("secret").extend({ photo: nested(Photo), motto: string("required") }).named("User");
export const Tag = Named.extend({ label: string("required") }).named("Tag");
const Named = dto({ id: string("required") });
`;
  writeFiles(folder, { "src/users/users.dto.ts": source, "src/tags/tags.dto.ts": source });
  assert.deepEqual(toReferencedRows(readTargets(folder, parseFields("author:ref:user,tag:ref"))), [
    { table: "users", values: `id: "${sampleId}", secret: "Sample", name: "Sample"` },
    { table: "tags", values: `id: "${sampleId}", label: "Sample"` },
  ]);
});

test("refuses a ref to a table whose ids are numbers, and says what to write", () => {
  const folder = temporaryFolder("targets");
  const source = 'export const User = dto("User", { id: integer("required"), name: string("required") });\n';
  writeFiles(folder, { "src/users/users.dto.ts": source });
  assert.throws(
    () => readTargets(folder, parseFields("author:ref:user")),
    /^HttpError: the ids of users are numbers, .* write --fields=author_id:integer, and .*; nothing was changed$/,
  );
  assert.equal(readTargets(folder, parseFields("title:string"), true).size, 1); // users are not a ref of it
});

test("refuses a DTO that it cannot read", () => {
  const folder = temporaryFolder("targets");
  for (const source of ["", "export const User = Person.pick();", "export const User = dto(fields);", "const {"]) {
    writeFiles(folder, { "src/users/users.dto.ts": source });
    assert.throws(() => readTargets(folder, parseFields("user:ref")), /users\.dto\.ts exports no DTO User/);
  }
});

test("follows no table that refers to itself", () => {
  const folder = temporaryFolder("targets");
  writeFiles(folder, {
    "src/pages/pages.dto.ts": dto("Page", '  page_id: string("required"),\n'),
    "src/pages/pages.migrations.ts":
      't.addColumn("page_id", "text", (column) => column.notNull().references("pages.id"))',
  });
  assert.equal(readTargets(folder, parseFields("page:ref")).get("pages")?.references.size, 0);
});
