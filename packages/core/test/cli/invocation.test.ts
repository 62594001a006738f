import assert from "node:assert/strict";
import { test } from "node:test";
import { boolean, dto, endpoint, integer, literal, type Routes, string } from "@tenon/core";
import { withCommands } from "../support/terminal.ts";

const List = dto({ limit: integer().alias("l"), created_after: string(), all: boolean() });
const routes: Routes = [
  {
    path: "posts",
    children: [
      { path: "list", handler: endpoint({ query: List }, (_, { query }) => JSON.stringify(query)) },
      { path: "show/:id", handler: endpoint({ query: dto({ verbose: boolean() }) }, (ctx) => ctx.param("id")) },
      { path: "free", handler: (ctx) => ctx.query("anything") },
    ],
  },
  { path: "move/:from/:to", handler: () => "" },
  {
    path: "paint/:color",
    handler: endpoint({ params: dto({ color: literal(["red", "green"], "required") }) }, () => ""),
  },
  { path: "add/*", handler: () => "" },
];

const usageErrors: readonly [argv: string[], line: string][] = [
  [["pots"], 'unknown command "pots". Did you mean "posts"?'],
  [["pots", "list"], 'unknown command "pots list". Did you mean "posts list"?'],
  [["posts", "lst"], 'unknown command "posts lst". Did you mean "posts list"?'],
  [["posts/lst"], 'unknown command "posts lst". Did you mean "posts list"?'],
  [["posts", "shwo", "42"], 'unknown command "posts shwo 42". Did you mean "posts show"?'],
  [["elephant"], 'unknown command "elephant". blog --help lists the commands.'],
  [["posts", "elephant"], 'unknown command "posts elephant". blog --help lists the commands.'],
  [["add"], '"add" needs <…>'],
  [["\u001b[2J"], 'unknown command "\\u001b[2J". blog --help lists the commands.'],
  [["posts", "show"], '"posts show" needs <id>'],
  [["move"], '"move" needs <from> <to>'],
  [["move", "a"], '"move a" needs <to>'],
  [["posts", "list", "limit", "5"], '"posts list" does not take "limit". blog posts list --help shows what it takes.'],
  [["move", "a", "b", "c"], '"move <from> <to>" does not take "c". blog move a b --help shows what it takes.'],
  [["paint"], '"paint" needs <red|green>'],
  [["paint", "blue"], "<color> must be one of red, green"],
  [["posts", "list", "--limt", "5"], 'unknown flag --limt of "posts list". Did you mean "--limit"?'],
  [
    ["posts", "list", "--created-afer=x"],
    'unknown flag --created-afer of "posts list". Did you mean "--created-after"?',
  ],
  [["posts", "list", "--elephant"], 'unknown flag --elephant of "posts list"'],
  [["posts", "list", "-x"], "unknown flag -x"],
  [["posts", "list", "--limit"], "--limit needs a value"],
  [["posts", "list", "-x", "--limit"], "unknown flag -x; --limit needs a value"],
  [["pots", "--limit"], 'unknown command "pots". Did you mean "posts"?'],
  [["pots", "--created-after=x"], 'unknown command "pots". Did you mean "posts"?'],
  [["posts", "list", "--jsn"], 'unknown flag --jsn of "posts list". Did you mean "--json"?'],
  [["posts", "show", ""], '<id> of "posts show <id>" is empty'],
  [["move", "a", ""], '<to> of "move <from> <to>" is empty'],
  [["move", "", "b"], '<from> of "move <from> <to>" is empty'],
  [["move", ""], '<from> of "move <from> <to>" is empty'],
];
for (const [argv, line] of usageErrors) {
  test(`${JSON.stringify(argv.join(" "))} is refused: ${line}`, () =>
    withCommands(routes, async (app) => {
      assert.deepEqual(await app.run(argv), { code: 2, stdout: "", stderr: `blog: ${line}\n` });
    }));
}

test("with --json a usage error is a document on stdout too", () =>
  withCommands(routes, async (app) => {
    assert.deepEqual(await app.run(["elephant", "--json"]), {
      code: 2,
      stdout: '{"error":"unknown command \\"elephant\\". blog --help lists the commands."}\n',
      stderr: 'blog: unknown command "elephant". blog --help lists the commands.\n',
    });
  }));

test("no command, or only a group, is a usage error that shows the help", () =>
  withCommands(routes, async (app) => {
    const nothing = await app.run([]);
    assert.deepEqual([nothing.code, nothing.stdout], [2, ""]);
    assert.match(nothing.stderr, /^blog: no command given\n\nUsage: blog <command> \[flags\]\n/);
    const group = await app.run(["posts"]);
    assert.deepEqual([group.code, group.stdout], [2, ""]);
    assert.match(group.stderr, /^blog: "posts" is a group of commands\n\nUsage: blog posts <command> \[flags\]\n/);
  }));

const withoutCommand: readonly [argv: string[], line: string][] = [
  [["--elephant"], "no command given"],
  [["-x"], "no command given; unknown flag -x"],
  [["--json=1"], "no command given; --json takes no value"],
  [["posts", "--json=1"], '"posts" is a group of commands; --json takes no value'],
];
for (const [argv, line] of withoutCommand) {
  test(`${JSON.stringify(argv.join(" "))} names the flag and shows the help: ${line}`, () =>
    withCommands(routes, async (app) => {
      const { code, stdout, stderr } = await app.run(argv);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.equal(stderr.slice(0, stderr.indexOf("\n\nUsage: ")), `blog: ${line}`);
    }));
}

test("a boolean of the command takes no word, also between the words of the command", () =>
  withCommands(routes, async (app) => {
    assert.equal((await app.run(["posts", "show", "--verbose", "42"])).stdout, "42\n");
    assert.equal((await app.run(["posts", "list", "--all", "-l2"])).stdout, '{"limit":2,"all":true}\n');
  }));
