import assert from "node:assert/strict";
import { test } from "node:test";
import { addTable, emptySchema, removeTable } from "../../src/generate/edit-schema.ts";

const posts = { name: "blog_posts", type: "BlogPost", path: "../blog-posts/blog-posts.record.ts" };
const statement = 'import type { BlogPost } from "../blog-posts/blog-posts.record.ts";\n';

test("adds a table to an empty schema, and removes it again", () => {
  const added = addTable(emptySchema, posts) ?? assert.fail();
  assert.equal(added, `${statement}\n${emptySchema.replace("{}", "{\n  blog_posts: BlogPost;\n}")}`);
  assert.equal(removeTable(added, "blog_posts"), emptySchema);
});

const line = 'import type { Author } from "../authors/authors.record.ts";\n';
const cases = [
  ["a line", "{\n  authors: Author;\n}", "{\n  authors: Author;\n  blog_posts: BlogPost;\n}"],
  [
    "a line with a comment",
    "{\n  authors: Author; // all\n}",
    "{\n  authors: Author; // all\n  blog_posts: BlogPost;\n}",
  ],
  ["one line", "{ authors: Author }", "{ authors: Author; blog_posts: BlogPost; }"],
  ["Windows line ends", "{\r\n  authors: Author;\r\n}", "{\r\n  authors: Author;\r\n  blog_posts: BlogPost;\r\n}"],
] as const;

for (const [name, before, after] of cases) {
  test(`adds a table after others: ${name}`, () => {
    const added = addTable(`${line}\nexport interface Schema ${before}\n`, posts) ?? assert.fail();
    assert.equal(
      added.replaceAll("\r", ""),
      `${line}${statement}\nexport interface Schema ${after}\n`.replaceAll("\r", ""),
    );
    const removed = removeTable(added, "blog_posts")?.replaceAll("\r", "") ?? assert.fail();
    assert.ok(removed.startsWith(line) && !removed.includes("BlogPost"), removed);
    assert.match(removed, /authors: Author/);
  });
}

test("leaves a schema alone that it does not understand", () => {
  for (const source of [
    "export type Schema = { authors: Author };",
    "export interface Schema { blog_posts: object }",
    "interface BlogPost {}\nexport interface Schema {}",
    "export interface Schema {",
    "export interface Other {}",
  ]) {
    assert.equal(addTable(source, posts), undefined, source);
  }
});

test("does not remove a table whose type is used elsewhere, or that is not there", () => {
  const added = addTable(emptySchema, posts) ?? assert.fail();
  assert.equal(removeTable(`${added}export type Alias = BlogPost;\n`, "blog_posts"), undefined);
  assert.equal(removeTable(added, "authors"), undefined);
  assert.equal(removeTable("export interface Schema { blog_posts: { id: string } }", "blog_posts"), undefined);
});
