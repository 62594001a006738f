import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api, array, date, defineModule, dto, endpoint, integer, json, type Routes, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { callOf, importClient } from "../../support/library-server.ts";

const Sent = dto({ type: string("required"), size: integer("required") });
const Nullable = dto({ count: integer("nullable"), day: date("nullable"), any: json("nullable") });
const Filters = dto({ filters: json() });
const Found = dto({ at: json(), query: json(), header: json() });
const Fields = dto({
  any: json("nullable"),
  all: array(json()),
  tags: array(string()),
  counts: array(integer()),
});

class ThingsController {
  routes(): Routes {
    return [
      { method: "GET", path: "/files/*", handler: this.files },
      { method: "POST", path: "/form", handler: this.form },
      { method: "POST", path: "/upload", handler: this.upload },
      { method: "GET", path: "/moved", handler: this.moved },
      { method: "GET", path: "/nullable", handler: this.inQuery },
      { method: "POST", path: "/nullable", handler: this.inForm },
      { method: "GET", path: "/found/:at", handler: this.found },
    ];
  }

  readonly files = endpoint({ returns: dto({ rest: array(string()) }) }, (ctx) => ({ rest: [...ctx.rest()] }));
  readonly form = endpoint({ body: { form: Fields }, returns: { 200: Fields } }, (_, { body }) => body);
  readonly upload = endpoint(
    { body: { content: ["text/csv", "image/png"] }, returns: { 200: Sent } },
    (ctx, { body }) => ({
      type: ctx.header("content-type"),
      size: body.length,
    }),
  );
  readonly moved = endpoint({ returns: { 302: null } }, (ctx) => ctx.redirect("/files/new"));
  readonly inQuery = endpoint({ query: Nullable, returns: Nullable }, (_, { query }) => query);
  readonly found = endpoint(
    { params: dto({ at: json("required") }), query: Filters, headers: Filters, returns: Found },
    (_, { params, query, headers }) => ({ ...params, query: query.filters, header: headers.filters }),
  );
  readonly inForm = endpoint({ body: { form: Nullable }, returns: { 200: Nullable } }, (_, { body }) => body);
}

/** A Tenon application on a port, called by the client of its own document. */
const app = await createTestApp(defineModule({ name: "things", declarations: [ThingsController] }), api());
const { port } = await app.listen({ port: 0, host: "127.0.0.1", signals: false });
after(() => app.stop());
const module = await importClient(await app.openapi());
const client = module.createClient({ baseUrl: `http://127.0.0.1:${port}` });

test("the rest of a path reaches a Tenon application segment by segment", async () => {
  const restOf = (path: unknown) => callOf(client, "things.files").orThrow({ path });
  assert.deepEqual(await restOf("a/b"), { rest: ["a", "b"] });
  assert.deepEqual(await restOf("a b"), { rest: ["a b"] });
  assert.deepEqual(await restOf(["a/b", "c"]), { rest: ["a/b", "c"] });
});

test("fields of any value are sent as JSON, and lists as repeated names", async () => {
  const form = callOf(client, "things.form");
  for (const any of [[1, 2], [], "text", "", 5, false, { a: [null] }, "[1]"]) {
    assert.deepEqual(await form.orThrow({ body: { any } }), { any });
  }
  const lists = { all: ["x", [1], { a: 2 }], tags: ["a,b", "c"], counts: [1, 2] };
  assert.deepEqual(await form.orThrow({ body: lists }), lists);
});

test("a parameter of any value is sent as JSON in a query, a path and a header", async () => {
  for (const any of [{ roles: [1] }, [1, 2], [], "text", "", 5, false, null, "[1]"]) {
    const values = { path: { at: any }, query: { filters: any }, header: { filters: any } };
    assert.deepEqual(await callOf(client, "things.found").orThrow(values), { at: any, query: any, header: any });
  }
});

test("null reaches nullable fields of queries and forms, and undefined is not sent", async () => {
  const values = { count: null, day: null, any: null };
  assert.deepEqual(await callOf(client, "things.inQuery").orThrow(values), values);
  assert.deepEqual(await callOf(client, "things.inForm").orThrow({ body: values }), values);
  assert.deepEqual(await callOf(client, "things.inQuery").orThrow({ count: undefined }), {});
  assert.deepEqual(await callOf(client, "things.inForm").orThrow({ body: { count: undefined } }), {});
});

test("a Blob is sent with its own type where that is declared, and with the first type otherwise", async () => {
  const upload = (body: unknown) => callOf(client, "things.upload").orThrow({ body });
  assert.deepEqual(await upload(new Blob(["png"], { type: "image/png" })), { type: "image/png", size: 3 });
  const typed = new Blob(["a"], { type: "text/csv;charset=utf-8" });
  assert.deepEqual(await upload(typed), { type: "text/csv;charset=utf-8", size: 1 });
  for (const body of [new Blob(["a"], { type: "text/html" }), new Blob(["a"]), "a"]) {
    assert.deepEqual(await upload(body), { type: "text/csv", size: 1 });
  }
});

test("a declared redirect is a result, and its target is not requested", async () => {
  const { status, body, headers } = await callOf(client, "things.moved")();
  assert.deepEqual([status, body, headers.get("location")], [302, undefined, "/files/new"]);
});
