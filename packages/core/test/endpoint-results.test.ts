import assert from "node:assert/strict";
import { test } from "node:test";
import { api, array, type Context, content, dto, endpoint, integer, jsonArray, type Routes, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { type } from "arktype";
import { CreatePost, find, Post, type Row, row } from "./support/post-schemas.ts";
import { moduleOf, testOnBothTransports } from "./support/transports.ts";

const handled: Routes = [
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
];

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

testOnBothTransports("with a declared result, `error` and `status` are fields like others", handled, async (call) => {
  const response = await call("GET", "/data");
  assert.deepEqual([response.status, await response.json()], [200, { error: "none", status: 500 }]);
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

testOnBothTransports("content() sets the media type of a response", handled, async (call) => {
  const response = await call("GET", "/csv");
  assert.equal(response.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.equal(await response.text(), "a,b\n1,2\n");
  const chosen = await call("GET", "/either");
  assert.deepEqual([chosen.headers.get("content-type"), await chosen.text()], ["text/plain", "a"]);
});
