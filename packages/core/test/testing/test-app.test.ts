import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { api, type Context, defineModule, inject, Log, provide, type Routes, route, token } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { run } from "../../../../test/support/run.ts";
import { moduleOf } from "../support/transports.ts";

const Sender = token<string>("Sender");

class Mailer {
  readonly from = inject(Sender);
  send(to: string): string {
    throw new Error(`a test sent a real mail to ${to}`);
  }
}
class SignupController {
  readonly #mailer = inject(Mailer);
  readonly #log = inject(Log);
  routes(): Routes {
    return [{ method: "POST", path: "/signup", handler: this.create }];
  }
  create(ctx: Context) {
    this.#log.info("signup");
    return this.#mailer.send(ctx.query("to"));
  }
}
const mail = defineModule({
  name: "mail",
  declarations: [Mailer, provide(Sender, () => "real@example.org")],
  exports: [Mailer],
});
const module = defineModule({ name: "app", imports: [mail], declarations: [SignupController] });

test("an override is made in the module of the declaration: its factory sees that module", async () => {
  const override = [provide(Mailer, () => ({ from: inject(Sender), send: () => "" }))];
  const app = await createTestApp(module, api(), { override });
  assert.equal(app.get(Mailer).from, "real@example.org");
});

test("what is overridden is never made, and the override is made once", async () => {
  const made: string[] = [];
  class Connection {
    constructor() {
      made.push("real");
    }
  }
  class Reader {
    readonly connection = inject(Connection);
  }
  const fake = () => {
    made.push("fake");
    return {};
  };
  const declarations = [Connection, Reader];
  const override = [provide(Connection, fake)];
  const app = await createTestApp(defineModule({ name: "app", declarations }), api(), { override });
  assert.equal(app.get(Reader).connection, app.get(Connection));
  assert.deepEqual(made, ["fake"]);
});

test("an override of Log is what all classes inject", async () => {
  const lines: string[] = [];
  const write = (...args: readonly unknown[]) => void lines.push(String(args.at(-1)));
  const fake: Log = {
    level: "info",
    trace: write,
    debug: write,
    info: write,
    warn: write,
    error: write,
    fatal: write,
    child: () => fake,
    isLevelEnabled: () => true,
  };
  const override = [provide(Log, () => fake), provide(Mailer, () => ({ from: "", send: () => "" }))];
  const app = await createTestApp(module, api(), { override });
  await app.request("POST", "/signup");
  assert.deepEqual(lines, ["signup"]);
  assert.equal(app.get(Log), fake);
});

const echo = moduleOf([
  route.post("/echo", async (ctx) => ({
    type: ctx.header("content-type"),
    agent: ctx.header("user-agent"),
    body: Buffer.from(await ctx.request().body()).toString(),
  })),
  { method: "GET", path: "/posts", handler: (ctx) => ({ path: ctx.path, page: ctx.query("page") }) },
]);

test("request() sends JSON, bytes, text and streams, with headers", async () => {
  const app = await createTestApp(echo, api());
  const send = async (options: Parameters<typeof app.request>[2]) =>
    (await app.request("POST", "/echo", options)).json();
  assert.deepEqual(await send({ json: { a: null }, headers: { "user-agent": "test" } }), {
    type: "application/json",
    agent: "test",
    body: '{"a":null}',
  });
  const patch = { "content-type": "application/merge-patch+json" };
  assert.deepEqual(await send({ json: [1], headers: patch }), { type: patch["content-type"], agent: "", body: "[1]" });
  assert.deepEqual(await send({ body: "plain" }), { type: "text/plain;charset=UTF-8", agent: "", body: "plain" });
  assert.deepEqual(await send({ body: new TextEncoder().encode("bytes") }), { type: "", agent: "", body: "bytes" });
  const stream = ReadableStream.from([new TextEncoder().encode("str"), new TextEncoder().encode("eam")]);
  assert.deepEqual(await send({ body: stream }), { type: "", agent: "", body: "stream" });
  assert.deepEqual(await send({}), { type: "", agent: "", body: "" });
});

test("request() takes the path as it is: a second slash names no host", async () => {
  const app = await createTestApp(echo, api());
  assert.deepEqual(await (await app.request("GET", "/posts?page=2")).json(), { path: "/posts", page: "2" });
  assert.equal((await app.request("GET", "//posts")).status, 404);
  assert.equal((await app.request("GET", "//evil.example/posts")).status, 404);
});

test("request() passes on a signal: its abort reaches the handler", async () => {
  const reached = Promise.withResolvers<void>();
  const handler = async (ctx: Context) => {
    reached.resolve();
    await once(ctx.signal, "abort");
    return "aborted";
  };
  const app = await createTestApp(moduleOf([{ method: "GET", path: "/", handler }]), api());
  const controller = new AbortController();
  const response = app.request("GET", "/", { signal: controller.signal });
  await reached.promise;
  controller.abort();
  assert.equal(await (await response).json(), "aborted");
});

test("request() sends a form as a browser does, lists as repeated fields, a content type of one's own left alone", async () => {
  const handler = async (ctx: Context) => [ctx.header("content-type"), String(Buffer.from(await ctx.request().body()))];
  const app = await createTestApp(moduleOf([{ method: "POST", path: "/", handler }]), api());
  const sent = async (options: object) => (await app.request("POST", "/", options)).json();
  const type = "application/x-www-form-urlencoded;charset=UTF-8";
  assert.deepEqual(await sent({ form: { title: "Ä & b", tags: ["x", "y"], none: [] } }), [
    type,
    "title=%C3%84+%26+b&tags=x&tags=y",
  ]);
  assert.deepEqual(await sent({ form: new URLSearchParams([["a", "1"]]) }), [type, "a=1"]);
  assert.deepEqual(await sent({ form: { a: "1" }, headers: { "content-type": "text/odd" } }), ["text/odd", "a=1"]);
  await app.stop();
});

test("request() sends a form with files; one past the limit is 413 and leaves the process alone", async () => {
  const handler = async (ctx: Context) => {
    const form = await ctx.request().form();
    return [form.get("title"), form.files.map(({ name, bytes }) => [name, bytes.byteLength])];
  };
  const app = await createTestApp(moduleOf([{ method: "POST", path: "/", handler }]), api({ limits: { body: 1000 } }));
  const send = (size: number, headers = {}) => {
    const body = new FormData();
    body.append("title", "Sea");
    body.append("picture", new Blob(["x".repeat(size)]), "sea.png");
    return app.request("POST", "/", { body, headers });
  };
  assert.deepEqual(await (await send(10)).json(), ["Sea", [["sea.png", 10]]]);
  assert.equal((await send(10, { "content-type": "text/plain" })).status, 400);
  assert.equal((await send(300_000)).status, 413);
  assert.equal((await send(10)).status, 200);
  await app.stop();
});

test("request() refuses a path without a slash, which would test something else", async () => {
  const app = await createTestApp(echo, api());
  await assert.rejects(app.request("GET", "posts"), TypeError);
  await app.stop();
});

const failing = `import { api, defineModule, HttpError } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
const statement = Object.assign(new Error("no such table: posts"), { development: { sql: "select * from posts" } });
class Posts {
  routes() {
    return [
      { method: "GET", path: "/posts", handler: () => { throw new HttpError(500, "store failure", { cause: statement }); } },
      { method: "GET", path: "/lost", handler: () => { throw new HttpError(404, "no such post"); } },
      { method: "GET", path: "/teapot", handler: (ctx) => { ctx.log.error("no tea"); } },
    ];
  }
}
const module = defineModule({ name: "posts", declarations: [Posts] });
for (const options of [{}, { log: { level: "silent" } }]) {
  const app = await createTestApp(module, api(), options);
  for (const path of ["/lost", "/posts", "/posts", "/teapot", "/teapot"]) await app.request("GET", path).catch(() => {});
  await app.stop();
}
`;

test("a 500 is printed to standard error once, with its causes and the statement, unless the test silences the log", async () => {
  const args = ["--conditions=@tenon/source", "--input-type=module", "--eval", failing];
  const { code, stdout, stderr } = await run(process.execPath, args, { cwd: import.meta.dirname });
  assert.deepEqual([code, stdout], [0, ""]);
  assert.match(stderr, /^\S+ ERROR GET \/posts failed id=\S+\n {4}HttpError: store failure\n/);
  assert.match(stderr, /\n {4}caused by Error: no such table: posts\n\n {6}sql: select \* from posts\n/);
  assert.match(stderr, /\n\S+ ERROR no tea id=\S+\n$/);
  assert.equal(stderr.match(/ ERROR /g)?.length, 2, "each is printed once");
});
