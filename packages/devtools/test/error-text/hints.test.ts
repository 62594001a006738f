import assert from "node:assert/strict";
import { test } from "node:test";
import { findHints } from "../../src/error-text/hints.ts";

const cases: readonly [clue: string, hint: RegExp][] = [
  ['Error: There is no view "posts/show" in /srv/views.', /^Add posts\/show\.eta to \/srv\/views, or/],
  ['Error: There is no view "posts/show".', /^Add posts\/show\.eta to the folder of views, or/],
  [
    "SqliteError: no such table: posts",
    /^The table posts does not exist: create it in a migration.* while one is running, wait for its end\./,
  ],
  ['error: relation "posts" does not exist', /^The table posts does not exist/],
  [
    'Error: migration "002-fill" failed and was rolled back: relation "posts" does not exist',
    /^The table posts does not exist while migration "002-fill" runs: create it there/,
  ],
  ["SqliteError: no such column: author", /^The column author does not exist: add it in a new migration/],
  ["SqliteError: table posts has no column named author", /^The column author does not exist/],
  ['error: column "author" of relation "posts" does not exist', /^The column author does not exist/],
  ["Error: connect ECONNREFUSED 127.0.0.1:5432", /^Nothing listens at 127\.0\.0\.1:5432: start/],
  ["Error: ECONNREFUSED", /^Nothing listens at that address/],
  ["SqliteError: database is locked", /^Another process writes/],
  ["ReferenceError: __dirname is not defined", /import\.meta\.dirname\.$/],
  ["ReferenceError: __filename is not defined", /import\.meta\.filename\.$/],
  ["ReferenceError: require is not defined", /write import … from/],
  ["Error: Cannot find module '/srv/posts.service' imported from /srv/main.ts", /its extension: posts\.service\.ts\.$/],
  [
    "Error: Cannot find module '/srv/posts.service.js' imported from /srv/main.ts",
    /if the file is posts\.service\.ts,/,
  ],
  ["Error: Cannot find module '/srv/posts.mjs' imported from /srv/main.ts", /if the file is posts\.mts,/],
  [
    "Error: Directory import '/srv/posts' is not supported resolving ES modules imported from /srv/main.ts",
    /names a file, not a folder: posts\/index\.ts/,
  ],
  ["Error: Cannot find package 'zod' imported from /srv/main.ts", /not installed: .+ npm install zod\.$/],
  ["Error: Cannot find package '@tenon/live' imported from /srv/main.ts", /npm install @tenon\/live\.$/],
  ["Error: Cannot find package 'posts.service.ts' imported from /srv/main.ts", /begins with "\.\/" or "\.\.\/"/],
  ["Error: Cannot find package 'src' imported from /srv/main.ts", /begins with "\.\/"/],
  ["Error: Cannot find package '@/posts' imported from /srv/main.ts", /begins with "\.\/"/],
  [
    "SyntaxError: The requested module './posts.ts' does not provide an export named 'Post'",
    /^If Post is a type, write import \{ type Post \}; .+ that \.\/posts\.ts exports it\.$/,
  ],
  [
    "SyntaxError: The requested module './posts.ts' does not provide an export named 'default'",
    /^\.\/posts\.ts has no default export: .+ in braces\.$/,
  ],
  ["SyntaxError: TypeScript enum is not supported in strip-only mode", /a union of texts/],
  ["SyntaxError: TypeScript parameter property is not supported in strip-only mode", /= inject\(PostsService\)/],
  ["SyntaxError: TypeScript export assignment is not supported in strip-only mode", /write it in JavaScript/],
  [
    "ReferenceError: Cannot access 'OrdersModule' before initialization",
    /^If another file defines OrdersModule, the two/,
  ],
  [
    "TS2322: Type 'Promise<Post[]>' is not assignable to type 'Handler<string>'.",
    /does not call it: handler: this\.index/,
  ],
  [
    "TS2322: Type '(options?: AccessLogOptions) => MiddlewareFunction' is not assignable to type 'MiddlewareLike'.",
    /^Call the function that makes the middleware: accessLog\(\)/,
  ],
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

test("a decorator has a hint, with and without the numbers of the lines", () => {
  const hints = (source: string) => findHints({ text: "SyntaxError: Invalid or unexpected token", source });
  for (const source of ["}\n@Injectable()\nexport class Posts {}", "  3 | }\n> 4 |   @Injectable()\n    |   ^"]) {
    assert.match(hints(source).join(), /^Remove @Injectable: Node does not run decorators\. .+ replace them\.$/);
  }
  assert.deepEqual(hints('const mail = "ada@example.com;'), []);
});

test("other errors have none", () => {
  assert.deepEqual(findHints({ text: "Error: Cannot find module '/a.ts' imported from /b.ts", source: "" }), []);
});
