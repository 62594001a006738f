import assert from "node:assert/strict";
import { test } from "node:test";
import { addTable, emptySchema } from "../../../src/generate/edit/edit-schema.ts";

const posts = { name: "blog_posts", type: "BlogPost", path: "../blog-posts/blog-posts.dto.ts" };
const statement = 'import type { BlogPost } from "../blog-posts/blog-posts.dto.ts";\n';

test("adds a table to an empty schema", () => {
  const added = addTable(emptySchema, posts) ?? assert.fail();
  assert.equal(added, `${statement}\n${emptySchema.replace("{}", "{\n  blog_posts: BlogPost;\n}")}`);
});

const line = 'import type { Author } from "../authors/authors.dto.ts";\n';
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
