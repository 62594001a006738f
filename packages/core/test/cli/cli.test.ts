import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import {
  api,
  array,
  boolean,
  type Context,
  defineModule,
  dto,
  endpoint,
  inject,
  integer,
  type MiddlewareFunction,
  nested,
  type Route,
  type Routes,
  route,
  string,
} from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import * as z from "zod";
import { LogLines } from "../support/log-lines.ts";
import { memoryStreams, withCommands } from "../support/terminal.ts";
import { moduleOf } from "../support/transports.ts";

/** A command that returns its path and its parameters. */
function command(path: string): Route {
  return { path, handler: (ctx) => `${path} ${JSON.stringify(ctx.request().params())}` };
}

test("commands are typed with spaces or with slashes, and resolve as paths do", () =>
  withCommands(
    [
      { path: "posts", children: [command("list"), command(":id"), command("show/:id")] },
      command("/users/list"),
      command("files/*"),
    ],
    async (app) => {
      const answers: readonly [argv: string[], answer: string][] = [
        [["posts", "list"], "list {}"],
        [["posts/list"], "list {}"],
        [["/posts/list"], "list {}"],
        [["posts", "42"], ':id {"id":"42"}'],
        [["posts/show/42"], 'show/:id {"id":"42"}'],
        [["posts/show", "42"], 'show/:id {"id":"42"}'],
        [["users", "list"], "/users/list {}"],
        [["files", "a", "b/c", ".."], 'files/* {"*":"a/b/c/.."}'],
      ];
      for (const [argv, answer] of answers) {
        assert.deepEqual(await app.run(argv), { code: 0, stdout: `${answer}\n`, stderr: "" }, argv.join(" "));
      }
    },
  ));

test("a word is one value, whatever it contains", () =>
  withCommands([{ path: "show/:id", handler: (ctx) => ctx.param("id") }], async (app) => {
    const words = "a/b ../x . .. %2F 100% %00 ü🙂 ?a=b#c -5 a\0b".split(" ");
    for (const word of [...words, "a b", "\ud800".toWellFormed()]) {
      assert.equal((await app.run(["show", word])).stdout, `${word}\n`, word);
    }
    assert.equal((await app.run(["show", "--", "--force"])).stdout, "--force\n");
    assert.equal((await app.run(["show", "\ud800"])).stdout, "\ufffd\n");
  }));

test("the text %00 in a flag is its value", () =>
  withCommands([{ path: "show", handler: (ctx) => ctx.request().queries() }], async (app) => {
    for (const value of ["%00", "a%2500b", "a\0b"]) {
      const { code, stdout } = await app.run(["show", "--title", value, "--json"]);
      assert.deepEqual([code, JSON.parse(stdout)], [0, { title: value, json: "true" }]);
    }
  }));

test("* matches the words one by one", () =>
  withCommands([{ path: "add/*", handler: (ctx) => ctx.rest() }], async (app) => {
    assert.equal((await app.run(["add", "a/b", ".", "c"])).stdout, "a/b\n.\nc\n");
  }));

test("a command at the root runs without a word", () =>
  withCommands([{ path: "/", handler: (ctx) => `root ${ctx.query("name")}` }], async (app) => {
    assert.equal((await app.run([])).stdout, "root \n");
    assert.equal((await app.run(["--name", "Ada"])).stdout, "root Ada\n");
  }));

test("flags are the query, and there are no headers, cookies or addresses", () =>
  withCommands(
    [
      route.command("show", (ctx) => ({
        limit: ctx.query("limit"),
        force: ctx.query("force"),
        absent: ctx.queryDefault("absent", "default"),
        odd: ctx.query("a&b=c"),
        all: ctx.request().queries(),
        header: ctx.header("user-agent"),
        headers: Object.keys(ctx.request().headers()).length,
        cookie: ctx.cookie("session"),
        method: ctx.method,
        path: ctx.path,
        who: [ctx.request().address(), ctx.request().protocol(), ctx.request().host()],
      })),
    ],
    async (app) => {
      const { stdout } = await app.run(["show", "--limit", "5", "--a&b=c=1 +%", "--json", "--force"]);
      assert.deepEqual(JSON.parse(stdout), {
        limit: "5",
        force: "true",
        absent: "default",
        odd: "",
        all: { limit: "5", "a&b": "c=1 +%", force: "true", json: "true" },
        header: "",
        headers: 0,
        cookie: "",
        method: "",
        path: "/show",
        who: ["", "", ""],
      });
    },
  ));

test("middlewares of the application, of groups and of routes run around a command, with injection", async () => {
  class Journal {
    readonly lines: string[] = [];
  }
  class Audit {
    readonly #journal = inject(Journal);
    async handle(ctx: Context, next: () => unknown) {
      this.#journal.lines.push(`before ${ctx.path}`);
      const value = await next();
      this.#journal.lines.push(`after ${JSON.stringify(value)}`);
      return value;
    }
  }
  const named =
    (name: string): MiddlewareFunction =>
    (ctx, next) => {
      ctx.set("trail", `${ctx.get("trail") ?? ""}${name}>`);
      return next();
    };
  class PostsController {
    routes(): Routes {
      const handler = (ctx: Context) => ctx.get("trail");
      return [
        {
          path: "posts",
          middlewares: [named("group")],
          children: [{ path: "list", handler, middlewares: [named("route")] }],
        },
      ];
    }
  }
  const module = defineModule({ name: "app", declarations: [Journal, Audit, PostsController] });
  const app = await createTestApp(module, cli({ name: "blog", middlewares: [Audit, named("app")] }));
  assert.equal((await app.run(["posts", "list"])).stdout, "app>group>route>\n");
  assert.deepEqual(app.get(Journal).lines, ["before /posts/list", 'after "app>group>route>"']);
  await app.stop();
});

test("routes with a method are not commands, and commands are not routes of an API", async () => {
  const guard: MiddlewareFunction = (_, next) => next();
  const routes: Routes = [
    { method: "GET", path: "/posts/all", handler: () => "http" },
    { method: "GET", path: "/posts/:id", handler: () => "http", middlewares: [guard] },
    { path: "posts/:id", handler: () => "command" },
  ];
  const log = new LogLines();
  const onCommandLine = await createTestApp(moduleOf(routes), cli({ name: "blog" }), { log: log.options });
  assert.equal((await onCommandLine.run(["posts", "all"])).stdout, "command\n");
  assert.deepEqual(
    onCommandLine.routes.list().map(({ path }) => path),
    ["posts/:id"],
  );
  assert.deepEqual(log.messages("warn"), [], "what shadows what over HTTP does not matter here");
  const overHttp = await createTestApp(moduleOf(routes), api());
  assert.equal(await (await overHttp.request("GET", "/posts/all")).json(), "http");
  await Promise.all([onCommandLine.stop(), overHttp.stop()]);
});

test("a route that is added while the application runs is a command at once", () =>
  withCommands([command("a")], async (app) => {
    assert.equal((await app.run(["b"])).code, 2);
    app.routes.add(command("b"));
    assert.equal((await app.run(["b"])).stdout, "b {}\n");
    assert.match((await app.run(["--help"])).stdout, /^ {2}b$/m);
  }));

const Search = dto({
  limit: integer("min=1").alias("l"),
  author_id: string("min=3"),
  force: boolean(),
  tags: array(string("min=2")),
  author: nested(dto({ email: string("required", "email") })),
});

test("endpoint() and bind() fill a DTO from flags", () =>
  withCommands(
    [
      { path: "taken", handler: endpoint({ query: Search }, (_, { query }) => query) },
      { path: "bound", handler: (ctx) => ctx.bind(Search) },
    ],
    async (app) => {
      const expected = { limit: 5, author_id: "ada", force: true, tags: ["ab", "cd"] };
      const taken = await app.run("taken --json -l5 --author-id ada --force --tags=ab --tags=cd".split(" "));
      assert.deepEqual(JSON.parse(taken.stdout), expected);
      const bound = await app.run(["bound", "--limit=5", "--author_id=ada", "--tags=ab,cd", "--json", "--force"]);
      assert.deepEqual(JSON.parse(bound.stdout), expected);
      assert.deepEqual(await app.run(["taken", "--json"]), { code: 0, stdout: "{}\n", stderr: "" });
    },
  ));

test("with --stdin a DTO is filled from the JSON on standard input", () =>
  withCommands([{ path: "taken", handler: endpoint({ query: Search }, (_, { query }) => query) }], async (app) => {
    const stdin = JSON.stringify({ limit: 2, author: { email: "ada@example.com" }, other: 1 });
    const { stdout } = await app.run(["taken", "--stdin", "--json"], { stdin });
    assert.deepEqual(JSON.parse(stdout), { limit: 2, author: { email: "ada@example.com" } });
  }));

test("flags that cannot be bound are a usage error, in one line that names each of them", () =>
  withCommands(
    [
      { path: "search", handler: endpoint({ query: Search }, () => assert.fail("the handler ran")) },
      {
        path: "create",
        handler: endpoint({ body: dto({ title: string("required") }) }, () => assert.fail("the handler ran")),
      },
      {
        path: "zod",
        handler: endpoint({ query: z.object({ limit: z.coerce.number() }) }, (_, { query }) => query.limit),
      },
    ],
    async (app) => {
      const usageErrors: readonly [argv: string[], stderr: string, stdin?: string][] = [
        [["search", "--limit=many"], "--limit must be a whole number"],
        [
          ["search", "--limit=0", "--author-id=x"],
          "--limit must be at least 1; --author-id must have at least 3 characters",
        ],
        [["search", "--tags=ab,c"], "--tags.1 must have at least 2 characters"],
        [["search", "--author=x"], "--author must be an object"],
        [["create"], "--title is required"],
        [["create", "--stdin"], "standard input is not JSON"],
        [["create", "--stdin"], "title in standard input is required", "{}"],
        [["zod", "--limit=x"], "--limit: Invalid input: expected number, received NaN"],
      ];
      for (const [argv, message, stdin = ""] of usageErrors) {
        assert.deepEqual(await app.run(argv, { stdin }), { code: 2, stdout: "", stderr: `blog: ${message}\n` });
      }
      assert.equal((await app.run(["zod", "--limit", "7"])).stdout, "7\n");
    },
  ));

test("standard input is the body, with or without --stdin, up to its limit", () => {
  const read = async (ctx: Context) => Buffer.from(await ctx.request().body()).toString("latin1");
  const limited: MiddlewareFunction = (ctx, next) => {
    ctx.limitBody(3);
    return next();
  };
  return withCommands(
    [
      { path: "read", handler: read },
      { path: "limited", handler: read, middlewares: [limited] },
    ],
    async (app) => {
      assert.equal((await app.run(["read"], { stdin: "text" })).stdout, "text\n");
      assert.equal((await app.run(["read", "--stdin"], { stdin: new Uint8Array([65, 255]) })).stdout, "A\u00ff\n");
      assert.equal((await app.run(["read"])).stdout, "");
      assert.equal((await app.run(["limited"], { stdin: "abc" })).stdout, "abc\n");
      assert.deepEqual(await app.run(["limited"], { stdin: "abcd" }), {
        code: 1,
        stdout: "",
        stderr: "blog: standard input is longer than 3 bytes\n",
      });
      const broken = new Readable({ read() {} });
      const streams = { ...memoryStreams(), stdin: broken };
      const code = app.execute(["read"], streams);
      broken.push("text");
      broken.destroy(new Error("EIO"));
      assert.equal(await code, 1);
      assert.equal(streams.stderr.text, "blog: standard input cannot be read\n");
      const spoken = { ...memoryStreams(), stdin: Readable.from(["spo", "ken"]) };
      assert.equal(await app.execute(["read"], spoken), 0);
      assert.equal(spoken.stdout.text, "spoken\n");
    },
  );
});
