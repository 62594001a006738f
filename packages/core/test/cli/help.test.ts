import assert from "node:assert/strict";
import { test } from "node:test";
import { array, boolean, dto, endpoint, integer, nested, number, type Routes, string } from "@tenon/core";
import { memoryStreams, withCommands } from "../support/terminal.ts";

const CreatePost = dto({
  title: string("required", "max=200").alias("t").describe("What it is called"),
  kind: string("oneof=note article"),
  stars: integer("min=1", "max=5"),
  price: number(),
  published: boolean().describe("Everybody may read it"),
  tags: array(string(), "max=10"),
  author: nested(dto({ email: string() })),
  author_id: string("uuid"),
});
const routes: Routes = [
  {
    path: "posts",
    children: [
      { path: "list", handler: () => [] },
      { path: "create", handler: endpoint({ body: CreatePost }, () => "") },
      { path: "show/:id/revisions/:number", handler: () => "" },
      { path: "copy/*", handler: () => "" },
    ],
  },
  { path: "user/:id", handler: () => "" },
  { path: "user/:id/delete", handler: () => "" },
  { method: "GET", path: "/posts", handler: () => "" },
];

const createSummary =
  "--title=<string> [--kind=<string>] [--stars=<integer>] [--price=<number>] [--published] [--tags=<list>] [--author=<object>] [--author-id=<string>]";

test("the help of the program lists every command, aligned, with its arguments and flags", () =>
  withCommands(
    routes,
    async (app) => {
      const expected = `blog 1.2.3: Writes and reads posts

Usage: blog <command> [flags]

Commands:
  posts copy <…>
  posts create                        ${createSummary}
  posts list
  posts show <id> revisions <number>
  user <id>
  user <id> delete

Flags:
      --json     Print the result as JSON
  -h, --help     Show this help
  -V, --version  Show the version

blog <command> --help shows the flags of a command.
`;
      for (const argv of [["--help"], ["-h"], ["help"], ["help", "--json"]]) {
        assert.deepEqual(await app.run(argv), { code: 0, stdout: expected, stderr: "" });
      }
    },
    { version: "1.2.3", description: "Writes and reads posts" },
  ));

test("--version and -V print name and version", () =>
  withCommands(
    routes,
    async (app) => {
      for (const argv of [["--version"], ["-V"]]) {
        assert.deepEqual(await app.run(argv), { code: 0, stdout: "blog 2.0.0\n", stderr: "" });
      }
    },
    { version: "2.0.0" },
  ));

test("the help of a group lists what is in it", () =>
  withCommands(routes, async (app) => {
    const { stdout } = await app.run(["posts", "--help"]);
    assert.match(stdout, /^Usage: blog posts <command> \[flags\]\n\nCommands:\n {2}posts copy <…>\n {2}posts create /);
    assert.doesNotMatch(stdout, /user|stdin|version/);
    assert.equal((await app.run(["help", "posts"])).stdout, stdout);
  }));

test("the help of a command gives its flags with kind, rules and what they are about", () =>
  withCommands(routes, async (app) => {
    const expected = `Usage: blog posts create [flags]

Flags:
  -t, --title=<string>      What it is called; required; must have at most 200 characters
      --kind=<string>       must be one of note, article
      --stars=<integer>     must be at least 1; must be at most 5
      --price=<number>
      --published           Everybody may read it
      --tags=<list>         separated by commas, or repeated; must have at most 10 items
      --author=<object>     only with --stdin
      --author-id=<string>  must be a UUID
      --json                Print the result as JSON
      --stdin               Read the values as JSON from standard input
  -h, --help                Show this help
`;
    for (const argv of [
      ["posts", "create", "--help"],
      ["posts/create", "-h"],
      ["posts", "--help", "create"],
      ["posts", "create", "--title", "x", "--nonsense", "--help"],
      ["help", "posts", "create"],
    ]) {
      assert.deepEqual(await app.run(argv), { code: 0, stdout: expected, stderr: "" }, argv.join(" "));
    }
  }));

test("a command with commands below it shows both", () =>
  withCommands(routes, async (app) => {
    const { stdout } = await app.run(["user", "7", "--help"]);
    assert.match(
      stdout,
      /^Usage: blog user <id> \[flags\], or a command below it\n\nCommands:\n {2}user <id> delete\n/,
    );
  }));

test("help about nothing that is known is a usage error", () =>
  withCommands(routes, async (app) => {
    const stderr = 'blog: unknown command "pots". Did you mean "posts"?\n';
    assert.deepEqual(await app.run(["pots", "--help"]), { code: 2, stdout: "", stderr });
    assert.deepEqual(await app.run(["help", "pots"]), { code: 2, stdout: "", stderr });
  }));

const templates = dto({
  template: string("required", "oneof=api web cli full").describe("What the application serves"),
  name: string("required", "max=20"),
});
const described: Routes = [
  {
    path: "new/:template/:name",
    handler: endpoint(
      {
        summary: "Creates an application",
        description: "Writes a folder.\n\nExisting files are never overwritten.",
        params: templates,
        query: dto({
          port: integer("default=8080").describe("Where it listens"),
          force: boolean().alias("f"),
        }),
      },
      () => "",
    ),
  },
  { path: "db/reset", handler: endpoint({ summary: "Removes every table" }, () => "") },
  {
    path: "db/migrate/up",
    handler: endpoint({ summary: "Applies the migrations that are not applied yet" }, () => ""),
  },
  { path: "dbs", handler: () => "" },
];
const groups = { "db migrate": "Changes of the schema", db: "The database" };

test("a described group has a section of its own, and commands belong to the longest name", () =>
  withCommands(
    described,
    async (app) => {
      assert.equal(
        (await app.run(["--help"])).stdout,
        `Usage: blog <command> [flags]

Commands:
  dbs
  new <api|web|cli|full> <name>  Creates an application

db migrate: Changes of the schema
  db migrate up  Applies the migrations that are not applied yet

db: The database
  db reset  Removes every table

Flags:
      --json  Print the result as JSON
  -h, --help  Show this help

blog <command> --help shows the flags of a command.
`,
      );
      assert.match(
        (await app.run(["db", "--help"])).stdout,
        /^The database\n\nUsage: blog db <command> \[flags\]\n\nCommands:\n {2}db reset .*\n\ndb migrate: Changes of the schema\n/,
      );
    },
    { groups },
  ));

test("commands and groups that are named first come first, and aliases are one line", () =>
  withCommands(
    described,
    async (app) => {
      const { stdout } = await app.run(["--help"]);
      assert.deepEqual(
        stdout.split("\n").filter((line) => /^ {2}[a-z]|^[a-z ]+: |^Aliases/.test(line)),
        [
          "  new <api|web|cli|full> <name>  Creates an application",
          "  dbs",
          "db: The database",
          "  db reset  Removes every table",
          "db migrate: Changes of the schema",
          "  db migrate up  Applies the migrations that are not applied yet",
          "Aliases: migrate for db migrate, database for db",
        ],
      );
      assert.doesNotMatch((await app.run(["db", "--help"])).stdout, /Aliases/);
      const help = (await app.run(["db", "migrate", "--help"])).stdout;
      for (const argv of [
        ["migrate", "--help"],
        ["database/migrate", "--help"],
        ["help", "migrate"],
      ]) {
        assert.equal((await app.run(argv)).stdout, help);
      }
      assert.equal((await app.run(["database", "reset"])).code, 0);
      assert.match((await app.run(["databse", "reset"])).stderr, /Did you mean "database"\?/);
    },
    { groups, first: ["new", "db reset"], aliases: { migrate: "db migrate", database: "db" } },
  ));

test("the help of a command describes its arguments, their choices and the defaults of its flags", () =>
  withCommands(described, async (app) => {
    assert.equal(
      (await app.run(["new", "--help"])).stdout,
      `Creates an application

Writes a folder.

Existing files are never overwritten.

Usage: blog new <api|web|cli|full> <name> [flags]

Arguments:
  <api|web|cli|full>  What the application serves
  <name>              must have at most 20 characters

Flags:
      --port=<integer>  Where it listens; defaults to 8080
  -f, --force
      --json            Print the result as JSON
      --stdin           Read the values as JSON from standard input
  -h, --help            Show this help
`,
    );
  }));

test("on a terminal help is wrapped to its width, on stdout and on stderr", () =>
  withCommands(
    described,
    async (app) => {
      for (const [columns, argv] of [
        [30, ["new", "--help"]],
        [40, ["--help"]],
        [60, ["new", "--help"]],
        [40, ["db"]],
      ] as const) {
        const streams = memoryStreams(columns);
        await app.execute([...argv], streams);
        const lines = `${streams.stdout.text}${streams.stderr.text}`.replaceAll(/\u001b\[\d+m/g, "").split("\n");
        for (const line of lines) assert.ok(line.length <= columns, `${columns}: ${line}`);
      }
    },
    { groups },
  ));
