import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  type Context,
  dto,
  endpoint,
  HttpError,
  integer,
  jsonArray,
  type MiddlewareFunction,
  type Next,
  type Routes,
  route,
  string,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { type } from "arktype";
import { z } from "zod";
import { CreatePost, find, Post, type Row, row } from "../support/post-schemas.ts";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";

const Reason = dto({ reason: string("required") });
const handled: Routes = [
  route.get("/posts/:id", { returns: Post, errors: { 404: "Post not found" } }, async (ctx) => {
    ctx.response().setHeader("x-seen", "1");
    return (await find(ctx.param("id"))) ?? ctx.fail(404);
  }),
  route.post("/posts", { body: CreatePost, returns: { 201: Post } }, (_, { body }) => ({ ...row, ...body })),
  route.delete("/posts/:id", { returns: { 204: null } }, () => undefined),
  route.get("/rows", { returns: array(Post) }, () => jsonArray(rows())),
  route.get("/csv", { returns: { content: "text/csv" } }, () => "a,b\n1,2\n"),
  route.get("/either", { returns: { content: ["text/csv", "text/plain"] } }, (ctx) => {
    ctx.response().setHeader("content-type", "text/plain");
    return "a";
  }),
  route.get("/data", { returns: dto({ error: string("required"), status: integer("required") }) }, () => ({
    error: "none",
    status: 500,
  })),
  route.get("/detail", { returns: Post, errors: { 422: Reason } }, (ctx) =>
    ctx.fail(422, { reason: "no", ...{ password: "secret" } }),
  ),
  route.get("/replied", { errors: { 422: Reason } }, (ctx) =>
    ctx.status(422).json({ reason: "no", password: "secret" }),
  ),
  route.get(
    "/guarded",
    { errors: { 422: Reason }, middlewares: [(ctx) => ctx.status(422).json({ code: 7 })] },
    () => row,
  ),
  route.get(
    "/thenable",
    { returns: Post },
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library
    () => ({ then: (use: (value: Row) => unknown) => use(row) }) as Promise<Row>,
  ),
  route.get("/moved", { returns: { 302: null, 308: null } }, (ctx) =>
    ctx.query("for") === "good" ? ctx.redirect("/new", { status: 308 }) : ctx.redirect("/new"),
  ),
];

async function* rows() {
  yield row;
  yield { ...row, id: "2" };
}

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
    route.get("/ok", { returns: { 200: null } }, () => undefined),
    route.get("/made", { returns: { 200: Post, 201: null } }, (ctx) => ctx.status(201).json(row) as never),
  ],
  async (call) => {
    const ok = await call("GET", "/ok");
    assert.deepEqual([ok.status, await ok.text()], [200, ""]);
    const made = await call("GET", "/made");
    assert.deepEqual([made.status, await made.text()], [201, ""]);
  },
);

const inner = { id: "string" } as const;
const Tree = type.module({ node: { id: "string", "children?": "node[]" } }).node;
const Nested = type({
  either: type({ kind: "'a'", id: "string" }).or({ kind: "'b'", title: "string" }),
  nullable: type(inner).or("null"),
  pair: [inner, [inner]],
  byName: { "[string]": inner },
  tree: Tree,
});
const nestedRow = {
  either: { ...row, kind: "a" } as const,
  nullable: row,
  pair: [row, [row]],
  byName: { first: row },
  tree: { ...row, children: [row] },
};

testOnBothTransports(
  "undeclared fields never leave in unions, tuples, records and recursive schemas of other libraries",
  [
    route.get("/value", { returns: Nested }, () => nestedRow as never),
    route.get("/response", { returns: Nested }, () => Response.json(nestedRow) as never),
    route.get("/wrong", { returns: Nested }, () => Response.json({ ...nestedRow, tree: { id: 1 } }) as never),
  ],
  async (call) => {
    const id = { id: "1" };
    const expected = {
      either: { kind: "a", ...id },
      nullable: id,
      pair: [id, [id]],
      byName: { first: id },
      tree: { ...id, children: [id] },
    };
    assert.deepEqual(await (await call("GET", "/value")).json(), expected);
    assert.deepEqual(await (await call("GET", "/response")).json(), expected);
    assert.equal((await call("GET", "/wrong")).status, 500);
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
  assert.deepEqual(await (await call("GET", "/guarded")).json(), { code: 7 }, "the error of a guard is its own");
});

const errors = { 403: "Forbidden" } as const;
const failingGuard: MiddlewareFunction = (ctx, next) => {
  ctx.fail(403);
  return next();
};
testOnBothTransports(
  "ctx.fail() ends the handler also as a statement, an argument and a middleware",
  [
    route.get("/statement", { returns: Post, errors }, (ctx) => {
      if (ctx.query("owner") === "") ctx.fail(403);
      return row;
    }),
    route.get("/argument", { returns: Post, errors }, async (ctx) => Object.assign({}, row, ctx.fail(403))),
    route.get("/expression", { returns: Post, errors }, (ctx) => (ctx.query("owner") === "" ? ctx.fail(403) : row)),
    route.get("/guard", { returns: Post, errors, middlewares: [failingGuard] }, () => row),
  ],
  async (call) => {
    for (const path of ["/statement", "/argument", "/expression", "/guard"]) {
      const response = await call("GET", path);
      assert.deepEqual([response.status, await response.json()], [403, { error: "Forbidden" }], path);
    }
    assert.equal((await call("GET", "/statement?owner=1")).status, 200);
  },
);

test("an error ends the chain inside of the middlewares, so that a transaction around it is rolled back", async () => {
  const seen: string[] = [];
  const transaction: MiddlewareFunction = async (_, next) => {
    try {
      const value = await next();
      seen.push("commit");
      return value;
    } catch (error) {
      seen.push(`rollback: ${(error as Error).message}`);
      throw error;
    }
  };
  const middlewares = [transaction];
  const returned = (() => new HttpError(403, "Forbidden")) as () => never; // does not compile otherwise
  const app = await createTestApp(
    moduleOf([
      route.get("/fail", { returns: Post, errors, middlewares }, (ctx) => ctx.fail(403)),
      route.get("/thrown", { errors, middlewares }, () => Promise.reject(new HttpError(403, "Forbidden"))),
      route.get("/returned", { operationId: "returned", returns: Post, errors, middlewares }, returned),
      route.get("/undeclared", { errors, middlewares, operationId: "undeclared" }, returned),
    ]),
    api(),
    { log: { level: "silent" } },
  );
  const statuses: number[] = [];
  for (const path of ["/fail", "/thrown", "/returned", "/undeclared"]) {
    statuses.push((await app.request("GET", path)).status);
  }
  await app.stop();
  assert.deepEqual(statuses, [403, 403, 500, 500]);
  const mistake = "rollback: an Error was returned: throw it";
  assert.deepEqual(seen, ["rollback: Forbidden", "rollback: Forbidden", mistake, mistake]);
});

testOnBothTransports("with a declared result, `error` and `status` are fields like others", handled, async (call) => {
  const response = await call("GET", "/data");
  assert.deepEqual([response.status, await response.json()], [200, { error: "none", status: 500 }]);
});

const secretPost = { id: "1", title: "Hi", password: "secret" };
const PublicPost = z.object({ id: z.string(), title: z.string() });
testOnBothTransports(
  "only declared fields leave by a schema that validates asynchronously, and a body without fields is a 500",
  [
    route.get("/later", { returns: PublicPost.refine(async () => true) }, () => secretPost),
    route.get("/untyped", { returns: PublicPost }, () => new Response(Buffer.from("{}")) as never),
  ],
  async (call) => {
    assert.deepEqual(await (await call("GET", "/later")).json(), { id: "1", title: "Hi" });
    assert.equal((await call("GET", "/untyped")).status, 500);
  },
);

test("a declared error of a schema that validates asynchronously sends the declared fields only", async () => {
  const Reason = z.object({ reason: z.string() }).refine(async ({ reason }) => reason !== "refused");
  const handler = endpoint({ returns: { 204: null }, errors: { 422: Reason } }, (ctx) =>
    ctx.fail(422, { reason: (ctx as Context).query("reason"), ...{ password: "secret" } }),
  );
  const app = await createTestApp(moduleOf([{ method: "GET", path: "/", handler }]), api(), {
    checkContracts: false,
    log: { level: "silent" },
  });
  const response = await app.request("GET", "/?reason=no");
  assert.deepEqual([response.status, await response.json()], [422, { reason: "no" }]);
  assert.equal((await app.request("GET", "/?reason=refused")).status, 500);
  await app.stop();
});

test("ctx.fail() outside of its contract says what to declare", async () => {
  const handler = endpoint({ errors: { 409: ["Taken", "Locked"] } }, (context) => {
    const ctx = context as Context;
    const which = ctx.query("which");
    if (which === "") return ctx.fail(404);
    return which === "none" ? ctx.fail(409) : ctx.fail(409, "Gone");
  });
  const lines: string[] = [];
  const middlewares = [(ctx: Context, next: Next) => (ctx.path === "/missing" ? ctx.fail(404) : next())];
  const app = await createTestApp(moduleOf([{ method: "GET", path: "/", handler }]), api({ middlewares }), {
    log: { level: "error", destination: { write: (line) => lines.push(line) } },
  });
  assert.equal((await app.request("GET", "/")).status, 500);
  assert.equal((await app.request("GET", "/?which=b")).status, 500);
  assert.equal((await app.request("GET", "/?which=none")).status, 500);
  assert.equal((await app.request("GET", "/missing")).status, 500);
  await app.stop();
  assert.match(lines[0] ?? "", /ctx\.fail\(404\) of GET \/: no such error is declared\. Add it to `errors`\./);
  for (const line of lines.slice(1, 3)) {
    assert.match(line, /GET \/: pass one of its messages: .*Taken.*Locked/);
  }
  assert.match(lines[3] ?? "", /ctx\.fail\(404\) of this request: no such error is declared\./);
});

testOnBothTransports("content() sets the media type of a response", handled, async (call) => {
  const response = await call("GET", "/csv");
  assert.equal(response.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.equal(await response.text(), "a,b\n1,2\n");
  const chosen = await call("GET", "/either");
  assert.deepEqual([chosen.headers.get("content-type"), await chosen.text()], ["text/plain", "a"]);
});
