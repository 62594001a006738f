import assert from "node:assert/strict";
import { test } from "node:test";
import { findHints } from "../../src/failure/hints.ts";

const cases: readonly [clue: string, hint: RegExp][] = [
  ['Error: There is no view "posts/show" in /srv/views.', /^Add posts\/show\.eta to \/srv\/views, or/],
  ['Error: There is no view "posts/show".', /^Add posts\/show\.eta to the folder of views, or/],
  ["SqliteError: no such table: posts", /^The table posts does not exist: create it in a migration/],
  ['error: relation "posts" does not exist', /^The table posts does not exist/],
  ["SqliteError: no such column: author", /^The column author does not exist: add it in a new migration/],
  ["SqliteError: table posts has no column named author", /^The column author does not exist/],
  ['error: column "author" of relation "posts" does not exist', /^The column author does not exist/],
  ["Error: connect ECONNREFUSED 127.0.0.1:5432", /^Nothing listens at 127\.0\.0\.1:5432: start/],
  ["Error: ECONNREFUSED", /^Nothing listens at that address/],
  ["SqliteError: database is locked", /^Another process writes/],
  ["ReferenceError: __dirname is not defined", /import\.meta\.dirname\.$/],
  ["ReferenceError: __filename is not defined", /import\.meta\.filename\.$/],
  ["ReferenceError: require is not defined", /write import … from/],
  ["Error: Cannot find module '/srv/posts.service' imported from /srv/main.ts", /name the file with its extension/],
  ["TypeError: Cannot read private member #posts from an object", /passed on without its object/],
];

for (const [text, hint] of cases) {
  test(`"${text}" has a hint`, () => {
    const hints = findHints({ text, source: "" });
    assert.equal(hints.length, 1);
    assert.match(hints[0] ?? "", hint);
  });
}

test("a bind that is not awaited has a hint", () => {
  const hints = (source: string) => findHints({ text: "TypeError: x", source });
  assert.deepEqual(hints("const post = ctx.bind(NewPost);"), [
    "ctx.bind() returns a promise: write await ctx.bind(…).",
  ]);
  for (const source of ["const post = await ctx.bind(NewPost);", "return ctx.bind(NewPost);", "ctx.param()"]) {
    assert.deepEqual(hints(source), [], source);
  }
});

test("other errors have none", () => {
  assert.deepEqual(findHints({ text: "Error: Cannot find module '/a.ts' imported from /b.ts", source: "" }), []);
});
