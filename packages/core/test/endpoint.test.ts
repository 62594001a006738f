import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  boolean,
  type Context,
  type Contract,
  content,
  defineModule,
  dto,
  endpoint,
  file,
  form,
  integer,
  jsonArray,
  nested,
  optional,
  type Routes,
  resource,
  routes,
  string,
} from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { type } from "arktype";
import { z } from "zod";
import { moduleOf, testOnBothTransports } from "./support/transports.ts";

const Post = dto("Post", {
  id: string("required"),
  title: string("required"),
  kind: string("required", "oneof=note article"),
});
const CreatePost = dto({ title: string("required", "max=20") });
const PageQuery = dto({ limit: integer("min=1", "max=50"), drafts: boolean(), tag: array(string()) });

interface Row {
  readonly id: string;
  readonly title: string;
  readonly kind: "note" | "article";
  readonly password: string;
}

const row: Row = { id: "1", title: "First", kind: "note", password: "secret" };
const find = async (id: string): Promise<Row | undefined> => (id === row.id ? row : undefined);

test("a result that does not match its declaration does not compile", () => {
  endpoint({ returns: array(Post) }, async () => [row]);
  endpoint({ returns: Post }, () => ({ id: "1", title: "x", kind: "note" }));
  endpoint({ returns: Post }, async () => ({ id: "1", title: "x", kind: "note" }));
  // @ts-expect-error a field is missing
  endpoint({ returns: Post }, async () => ({ id: "1", title: "x" }));
  // @ts-expect-error a literal that the schema does not have
  endpoint({ returns: Post }, async () => ({ id: "1", title: "x", kind: "letter" }));
  // @ts-expect-error it may be undefined
  endpoint({ returns: Post }, () => find("1"));
  endpoint({ returns: { 200: Post, 204: null } }, () => find("1"));
  endpoint({ returns: { 204: null } }, async () => {
    await find("1");
  });
  // @ts-expect-error a list in the place of one
  endpoint({ returns: Post }, async () => [row]);
});

test("a status that is not declared does not compile", () => {
  const Job = dto({ job: string("required") });
  endpoint({ returns: { 200: Post, 202: Job } }, async (ctx) =>
    ctx.method === "POST" ? ctx.status(202).json({ job: "1" }) : row,
  );
  // @ts-expect-error 202 has another body
  endpoint({ returns: { 200: Post, 202: Job } }, async (ctx) => ctx.status(202).json(row));
  // @ts-expect-error 201 is not declared
  endpoint({ returns: Post }, async (ctx) => ctx.status(201).json(row));
  endpoint({ returns: Post, errors: { 404: "Post not found" } }, async (ctx) => (await find("1")) ?? ctx.fail(404));
  // @ts-expect-error 409 is not declared
  endpoint({ returns: Post, errors: { 404: "Post not found" } }, async (ctx) => ctx.fail(409));
  // @ts-expect-error no error is declared
  endpoint({ returns: Post }, async (ctx) => ctx.fail(404));
  // @ts-expect-error of several messages one is named
  endpoint({ returns: Post, errors: { 409: ["Taken", "Locked"] } }, async (ctx) => ctx.fail(409));
  endpoint({ returns: Post, errors: { 409: ["Taken", "Locked"] } }, async (ctx) => ctx.fail(409, "Locked"));
  // @ts-expect-error a message that is not declared
  endpoint({ returns: Post, errors: { 409: ["Taken", "Locked"] } }, async (ctx) => ctx.fail(409, "Gone"));
});

test("the input has the declared parts, with their types", () => {
  endpoint({ query: PageQuery, body: CreatePost }, (_, { query, body }) => {
    const limit: number | undefined = query.limit;
    const title: string = body.title;
    return [limit, title];
  });
  endpoint({ body: optional(CreatePost) }, (_, { body }) => {
    // @ts-expect-error it may be absent
    return body.title;
  });
  // @ts-expect-error the contract has no query
  endpoint({ body: CreatePost }, (_, { query }) => query);
});

test("routes() checks the parameters of an endpoint against the path", () => {
  const annotated = endpoint({ returns: string() }, (ctx: Context<"/posts/:id">) => ctx.param("id"));
  const declared = endpoint({ params: dto({ id: string("required") }) }, (_, { params }) => params.id);
  const free = endpoint({}, (ctx) => ctx.param("anything"));
  routes([
    { method: "GET", path: "/posts/:id", handler: annotated },
    { method: "GET", path: "/drafts/:id", handler: declared },
    { method: "GET", path: "/users/:name", handler: free },
    // @ts-expect-error the path has no :id
    { method: "GET", path: "/a/:name", handler: annotated },
    // @ts-expect-error likewise
    { method: "GET", path: "/b/:name", handler: declared },
  ]);
});

const handled: Routes = [
  {
    method: "GET",
    path: "/posts",
    handler: endpoint({ query: PageQuery, returns: PageQuery }, (_, { query }) => query),
  },
  {
    method: "GET",
    path: "/posts/:id",
    handler: endpoint({ returns: Post, errors: { 404: "Post not found" } }, async (ctx) => {
      ctx.response().setHeader("x-seen", "1");
      return (await find(ctx.param("id"))) ?? ctx.fail(404);
    }),
  },
  {
    method: "POST",
    path: "/posts",
    handler: endpoint({ body: CreatePost, returns: { 201: Post } }, (_, { body }) => ({ ...row, ...body })),
  },
  { method: "DELETE", path: "/posts/:id", handler: endpoint({ returns: { 204: null } }, () => undefined) },
  {
    method: "GET",
    path: "/numbers/:n",
    handler: endpoint(
      { params: dto({ n: integer("required") }), headers: dto({ "x-times": integer("required") }) },
      (_, { params, headers }) => params.n * headers["x-times"],
    ),
  },
  {
    method: "GET",
    path: "/rows",
    handler: endpoint({ returns: array(Post) }, () =>
      jsonArray(
        (async function* () {
          yield row;
          yield { ...row, id: "2" };
        })(),
      ),
    ),
  },
  {
    method: "GET",
    path: "/csv",
    handler: endpoint({ returns: content("text/csv") }, () => "a,b\n1,2\n"),
  },
  {
    method: "GET",
    path: "/either",
    handler: endpoint({ returns: content("text/csv", "text/plain") }, (ctx) => {
      ctx.response().setHeader("content-type", "text/plain");
      return "a";
    }),
  },
  {
    method: "POST",
    path: "/csv",
    handler: endpoint({ body: content("text/csv"), returns: dto({ bytes: integer("required") }) }, (_, { body }) => ({
      bytes: body.byteLength,
    })),
  },
  {
    method: "POST",
    path: "/optional",
    handler: endpoint({ body: optional(CreatePost) }, (_, { body }) => ({ title: body?.title ?? "none" })),
  },
  {
    method: "POST",
    path: "/upload",
    handler: endpoint({ body: form(dto({ title: string("required"), picture: file("required") })) }, (_, { body }) => ({
      title: body.title,
      name: body.picture.name,
      bytes: body.picture.bytes.byteLength,
    })),
  },
  {
    method: "GET",
    path: "/data",
    handler: endpoint({ returns: dto({ error: string("required"), status: integer("required") }) }, () => ({
      error: "none",
      status: 500,
    })),
  },
  {
    method: "GET",
    path: "/detail",
    handler: endpoint({ returns: Post, errors: { 422: dto({ reason: string("required") }) } }, (ctx) =>
      ctx.fail(422, { reason: "no", ...{ password: "secret" } }),
    ),
  },
  {
    method: "GET",
    path: "/replied",
    handler: endpoint({ errors: { 422: dto({ reason: string("required") }) } }, (ctx) =>
      ctx.status(422).json({ reason: "no", password: "secret" }),
    ),
  },
  {
    method: "GET",
    path: "/thenable",
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library
    handler: endpoint({ returns: Post }, () => ({ then: (use: (value: Row) => unknown) => use(row) }) as Promise<Row>),
  },
  {
    method: "GET",
    path: "/moved",
    handler: endpoint({ returns: { 302: null, 308: null } }, (ctx) =>
      ctx.query("for") === "good" ? ctx.redirect("/new", { status: 308 }) : ctx.redirect("/new"),
    ),
  },
  {
    method: "GET",
    path: "/zod",
    handler: endpoint({ query: z.object({ limit: z.number().optional() }) }, (_, { query }) => query),
  },
];

testOnBothTransports("an endpoint parses its query: numbers, booleans and repeated names", handled, async (call) => {
  const response = await call("GET", "/posts?limit=5&drafts=true&tag=a&tag=b,c");
  assert.deepEqual(await response.json(), { limit: 5, drafts: true, tag: ["a", "b,c"] });
  assert.deepEqual(await (await call("GET", "/posts?tag=a&limit=")).json(), { tag: ["a"] });
  for (const query of ["limit=x", "limit=0", "limit=51", "limit=1&limit=2", "drafts=maybe"]) {
    const rejected = await call("GET", `/posts?${query}`);
    assert.deepEqual([rejected.status, await rejected.json()], [400, { error: "Invalid request" }], query);
  }
  assert.deepEqual(await (await call("GET", "/zod?limit=7")).json(), { limit: 7 });
});

testOnBothTransports("undeclared fields never leave", handled, async (call) => {
  assert.deepEqual(await (await call("GET", "/posts/1")).json(), { id: "1", title: "First", kind: "note" });
  assert.deepEqual(await (await call("GET", "/rows")).json(), [
    { id: "1", title: "First", kind: "note" },
    { id: "2", title: "First", kind: "note" },
  ]);
});

testOnBothTransports(
  "promises of other libraries are awaited, and redirects are declared like results",
  handled,
  async (call) => {
    assert.equal(((await (await call("GET", "/thenable")).json()) as Row).title, "First");
    const moved = await call("GET", "/moved?for=good", { redirect: "manual" });
    assert.deepEqual([moved.status, moved.headers.get("location")], [308, "/new"]);
  },
);

testOnBothTransports(
  "a status without a body sends none",
  [
    { method: "GET", path: "/ok", handler: endpoint({ returns: { 200: null } }, () => undefined) },
    {
      method: "GET",
      path: "/made",
      handler: endpoint({ returns: { 200: Post, 201: null } }, (ctx) => ctx.status(201).json(row) as never),
    },
  ],
  async (call) => {
    const ok = await call("GET", "/ok");
    assert.deepEqual([ok.status, await ok.text()], [200, ""]);
    const made = await call("GET", "/made");
    assert.deepEqual([made.status, await made.text()], [201, ""]);
  },
);

testOnBothTransports(
  "undeclared fields never leave by ArkType, which keeps them",
  [
    {
      method: "GET",
      path: "/",
      handler: endpoint({ returns: type({ id: "string", inner: { a: "number" } }).array() }, () => [
        { ...row, inner: { a: 1, b: 2 } },
      ]),
    },
  ],
  async (call) => {
    assert.deepEqual(await (await call("GET", "/")).json(), [{ id: "1", inner: { a: 1 } }]);
  },
);

testOnBothTransports(
  "text is converted for Zod although one field has no JSON Schema",
  [
    {
      method: "GET",
      path: "/",
      handler: endpoint(
        { query: z.object({ limit: z.int(), since: z.coerce.date().optional() }) },
        (_, { query }) => query.limit,
      ),
    },
  ],
  async (call) => {
    assert.equal(await (await call("GET", "/?limit=5")).json(), 5);
  },
);

testOnBothTransports("a single declared status applies to plain values", handled, async (call) => {
  const headers = { "content-type": "application/json" };
  const created = await call("POST", "/posts", { headers, body: JSON.stringify({ title: "New" }) });
  assert.deepEqual([created.status, await created.json()], [201, { id: "1", title: "New", kind: "note" }]);
  const removed = await call("DELETE", "/posts/1");
  assert.deepEqual([removed.status, await removed.text()], [204, ""]);
});

testOnBothTransports("ctx.fail() sends the declared message without the headers set before", handled, async (call) => {
  const missing = await call("GET", "/posts/2");
  assert.deepEqual([missing.status, await missing.json()], [404, { error: "Post not found" }]);
  assert.equal(missing.headers.get("x-seen"), null);
  const detailed = await call("GET", "/detail");
  assert.deepEqual([detailed.status, await detailed.json()], [422, { reason: "no" }]);
  assert.deepEqual(await (await call("GET", "/replied")).json(), { reason: "no" });
});

testOnBothTransports("params and headers are parsed by their schemas", handled, async (call) => {
  assert.equal(await (await call("GET", "/numbers/6", { headers: { "x-times": "7" } })).json(), 42);
  assert.equal((await call("GET", "/numbers/6")).status, 400);
  assert.equal((await call("GET", "/numbers/six", { headers: { "x-times": "7" } })).status, 400);
});

testOnBothTransports("content() names the media type of both directions", handled, async (call) => {
  const response = await call("GET", "/csv");
  assert.equal(response.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.equal(await response.text(), "a,b\n1,2\n");
  const sent = await call("POST", "/csv", { headers: { "content-type": "text/csv; charset=utf-8" }, body: "a,b" });
  assert.deepEqual(await sent.json(), { bytes: 3 });
  assert.equal((await call("POST", "/csv", { headers: { "content-type": "text/plain" }, body: "a" })).status, 400);
  const chosen = await call("GET", "/either");
  assert.deepEqual([chosen.headers.get("content-type"), await chosen.text()], ["text/plain", "a"]);
});

testOnBothTransports("an optional body may be absent, but not wrong", handled, async (call) => {
  const headers = { "content-type": "application/json" };
  assert.deepEqual(await (await call("POST", "/optional")).json(), { title: "none" });
  const present = await call("POST", "/optional", { headers, body: '{"title":"x"}' });
  assert.deepEqual(await present.json(), { title: "x" });
  assert.equal((await call("POST", "/optional", { headers, body: "{}" })).status, 400);
});

testOnBothTransports("form() reads fields and files of a multipart form", handled, async (call) => {
  const parts = [
    '--x\r\ncontent-disposition: form-data; name="title"\r\n\r\nSea',
    '--x\r\ncontent-disposition: form-data; name="picture"; filename="sea.png"\r\ncontent-type: image/png\r\n\r\n1234',
    "--x--\r\n",
  ];
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const uploaded = await call("POST", "/upload", { headers, body: parts.join("\r\n") });
  assert.deepEqual(await uploaded.json(), { title: "Sea", name: "sea.png", bytes: 4 });
  const without = await call("POST", "/upload", { headers, body: [parts[0], parts[2]].join("\r\n") });
  assert.equal(without.status, 400);
  assert.equal(
    (await call("POST", "/upload", { headers: { "content-type": "application/json" }, body: "{}" })).status,
    400,
  );
});

testOnBothTransports("with a declared result, `error` and `status` are fields like others", handled, async (call) => {
  const response = await call("GET", "/data");
  assert.deepEqual([response.status, await response.json()], [200, { error: "none", status: 500 }]);
});

test("the issues of params, query and headers are reported together, each with its part", async () => {
  const handler = endpoint(
    {
      params: dto({ id: integer("required") }),
      query: PageQuery,
      headers: dto({ "x-a": string("required") }),
      body: CreatePost,
    },
    () => "",
  );
  const app = await createTestApp(moduleOf([{ method: "POST", path: "/:id", handler }]), api({ errors: "issues" }));
  const response = await app.request("POST", "/x?limit=0", { json: {} });
  assert.deepEqual(await response.json(), {
    error: "Invalid request",
    issues: [
      { in: "params", path: "id", rule: "integer", message: "must be a whole number" },
      { in: "query", path: "limit", rule: "min", message: "must be at least 1" },
      { in: "headers", path: "x-a", rule: "required", message: "is required" },
    ],
  });
  const body = await app.request("POST", "/1", { json: {}, headers: { "x-a": "a" } });
  assert.deepEqual(((await body.json()) as { issues: unknown }).issues, [
    { in: "body", path: "title", rule: "required", message: "is required" },
  ]);
  await app.stop();
});

class PostsController {
  routes(): Routes {
    return resource("/posts", this);
  }

  readonly index = endpoint({ summary: "All posts", returns: array(Post) }, () => [row]);
  readonly show = endpoint({ returns: Post }, (ctx) => ({ ...row, id: ctx.param("id") }));
}

test("an endpoint has the name of the property that holds it", async () => {
  const app = await createTestApp(defineModule({ name: "posts", declarations: [PostsController] }), api());
  assert.deepEqual(
    app.routes.list().map(({ handler, controller, contract }) => [handler, controller, contract?.summary]),
    [
      ["index", "PostsController", "All posts"],
      ["show", "PostsController", undefined],
    ],
  );
  assert.equal(((await (await app.request("GET", "/posts/7")).json()) as Row).id, "7");
  await app.stop();
});

test("at a terminal, query and body are flags, with their descriptions in the help", async () => {
  const list = endpoint(
    {
      summary: "List posts",
      description: "Newest first.",
      query: dto({ limit: integer("min=1", "default=9").describe("How many") }),
      body: dto({ title: string("required") }),
      returns: dto({ limit: integer(), title: string("required") }),
    },
    (_, { query, body }) => ({ ...query, ...body, extra: "not declared" }),
  );
  const app = await createTestApp(moduleOf([{ path: "list", handler: list }]), cli({ name: "blog" }));
  const { stdout } = await app.run(["list", "--limit=5", "--title=x", "--json"]);
  assert.deepEqual(JSON.parse(stdout), { limit: 5, title: "x" });
  const piped = await app.run(["list", "--stdin", "--json"], { stdin: '{"limit":3,"title":"y"}' });
  assert.deepEqual(JSON.parse(piped.stdout), { limit: 3, title: "y" });
  const rejected = await app.run(["list", "--limit=0", "--title=x"]);
  assert.deepEqual([rejected.code, rejected.stderr], [2, "blog: --limit must be at least 1\n"]);
  const help = (await app.run(["list", "--help"])).stdout;
  assert.match(help, /^List posts\n\nNewest first\.\n\nUsage: blog list/);
  assert.match(help, /--limit=<integer>\s+How many; must be at least 1; defaults to 9\n/);
  assert.match((await app.run(["--help"])).stdout, /list\s+List posts/);
  await app.stop();
});

test("ctx.fail() outside of its contract says what to declare", async () => {
  const handler = endpoint({ errors: { 409: ["Taken", "Locked"] } }, (ctx) =>
    (ctx as Context).query("which") === "" ? (ctx as Context).fail(404) : (ctx as Context).fail(409, "Gone"),
  );
  const lines: string[] = [];
  const app = await createTestApp(moduleOf([{ method: "GET", path: "/", handler }]), api(), {
    log: { level: "error", destination: { write: (line) => lines.push(line) } },
  });
  assert.equal((await app.request("GET", "/")).status, 500);
  assert.equal((await app.request("GET", "/?which=b")).status, 500);
  await app.stop();
  assert.match(lines[0] ?? "", /ctx\.fail\(404\): GET \/ declares no error 404\. Add it to `errors`\./);
  assert.match(lines[1] ?? "", /GET \/ declares the messages .*Taken.*Locked.*Pass one of them/);
});

test("the contract of a middleware is checked at start", async () => {
  for (const [contract, text] of [
    [{ eror: {} }, "has an unknown key: eror (did you mean errors?)"],
    [{ security: { "a b": { type: "http" } } }, 'declares the security scheme "a b".'],
    [{ errors: { 200: "x" } }, 'declares the error "200". It takes a status from 400 to 599.'],
  ] as const) {
    const guard = Object.assign((_: Context, next: () => unknown) => next(), { contract });
    const middlewares = [guard as never]; // as plain JavaScript might pass it
    const start = createTestApp(moduleOf([{ method: "GET", path: "/", handler: () => "", middlewares }]), api());
    await assert.rejects(start, (error: Error) => {
      assert.ok(
        error.message.startsWith(`The contract of the middleware`) && error.message.includes(text),
        error.message,
      );
      return true;
    });
  }
});

test("endpoint() without a handler says what it takes", () => {
  assert.throws(() => endpoint({}, null as never), /endpoint\(\) takes a contract and a handler/);
});

const faults: readonly [contract: object, text: string][] = [
  [{ sumary: "x" }, "has an unknown key: sumary (did you mean summary?)"],
  [{ summary: 5 }, "has the number 5 as its summary."],
  [{ tags: [""] }, "has a list as its tags. Write a list of names."],
  [{ deprecated: "yes" }, "has a `deprecated` that is no boolean."],
  [{ query: {} }, "has an object as its query. Use dto({ … }) or another schema."],
  [{ params: dto({ other: string("required") }) }, 'declares the parameter "other", which the path does not have.'],
  [{ params: dto({}) }, 'has `params` without "id", which is in the path.'],
  [{ headers: dto({ "X-A": string() }) }, 'declares the header "X-A". Write it in lower case: "x-a".'],
  [{ body: CreatePost }, "declares a body, which a GET request does not have. Use `query`."],
  [{ body: 5 }, "has the number 5 as its body."],
  [{ returns: { 404: Post } }, 'returns "404". It takes a status from 200 to 399.'],
  [{ returns: { 200: "x" } }, 'returns the text "x" with 200.'],
  [{ returns: { 204: Post } }, "declares a body for 204, which has none. Write 204: null."],
  [{ returns: null }, "returns null. Use a schema, schemas by status, or { 204: null } for no body."],
  [{ returns: optional(Post) }, "returns an object (Body) with 200."],
  [{ query: dto({ n: nested(Post) }) }, 'declares "n" in its query, where no client can send an object.'],
  [{ body: dto({ f: file() }) }, 'declares "f" in its JSON body, where no client can send a file. Use body: form(…).'],
  [{ body: content("image/*") }, 'has content("image/*") as its body. Name a whole media type, such as "text/csv".'],
  [{ errors: { 200: "x" } }, 'declares the error "200". It takes a status from 400 to 599.'],
  [{ errors: { 404: [] } }, "declares a list for the error 404."],
];

for (const [contract, text] of faults) {
  test(`a contract stops the start: ${text}`, async () => {
    const handler = endpoint(contract as Contract, () => ""); // as plain JavaScript might pass it
    const start = createTestApp(moduleOf([{ method: "GET", path: "/posts/:id", handler: handler as never }]), api());
    await assert.rejects(start, (error: Error) => {
      assert.ok(
        error.message.includes(`The contract of GET /posts/:id of TestController (module "test") ${text}`),
        error.message,
      );
      return true;
    });
  });
}
