import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { api, dto, endpoint, file, integer, type Routes, route, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { z } from "zod";
import { RequestContext } from "../../src/request/context.ts";
import type { ContextTools } from "../../src/request/context-types.ts";
import type { Incoming } from "../../src/request/request.ts";
import { CreatePost, PageQuery } from "../support/post-schemas.ts";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";

const handled: Routes = [
  route.get("/posts", { query: PageQuery, returns: PageQuery }, (_, { query }) => query),
  route.get(
    "/numbers/:n",
    { params: dto({ n: integer("required") }), headers: dto({ "x-times": integer("required") }) },
    (_, { params, headers }) => params.n * headers["x-times"],
  ),
  route.post("/csv", { body: { content: "text/csv" } }, (_, { body }) => ({ bytes: body.byteLength })),
  route.post("/optional", { body: { optional: CreatePost } }, (_, { body }) => ({ title: body?.title ?? "none" })),
  route.post(
    "/upload",
    { body: { form: dto({ title: string("required"), picture: file("required") }) } },
    (_, { body: { title, picture } }) => ({ title, name: picture.name, bytes: picture.bytes.byteLength }),
  ),
  route.get("/zod", { query: z.object({ limit: z.number().optional() }) }, (_, { query }) => query),
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

testOnBothTransports("params and headers are parsed by their schemas", handled, async (call) => {
  assert.equal(await (await call("GET", "/numbers/6", { headers: { "x-times": "7" } })).json(), 42);
  assert.equal((await call("GET", "/numbers/6")).status, 400);
  assert.equal((await call("GET", "/numbers/six", { headers: { "x-times": "7" } })).status, 400);
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

testOnBothTransports("content() reads a body of its media type only", handled, async (call) => {
  const sent = await call("POST", "/csv", { headers: { "content-type": "text/csv; charset=utf-8" }, body: "a,b" });
  assert.deepEqual(await sent.json(), { bytes: 3 });
  assert.equal((await call("POST", "/csv", { headers: { "content-type": "text/plain" }, body: "a" })).status, 400);
});

test("a schema that fails ends only the request: no later part is read", async () => {
  const params = z.object({ id: z.string().transform(BigInt) }); // throws a SyntaxError
  const handler = endpoint({ params, query: PageQuery }, () => "");
  const app = await createTestApp(moduleOf([{ method: "GET", path: "/:id", handler }]), api());
  assert.equal((await app.request("GET", "/x?page=%zz")).status, 500);
  for (let turns = 0; turns < 3; turns++) await turn(); // an unhandled rejection would fail the test
});

test("a body that has arrived with its head is bound without a promise", () => {
  const handler = endpoint({ body: dto({ title: string("required") }) }, (_, { body }) => body.title);
  const incoming = { header: () => "application/json", readBody: () => Buffer.from('{"title":"x"}') };
  const params = { matched: undefined, param: () => undefined, toMap: () => ({}), rest: () => [] };
  const tools = { limits: { body: 100, jsonDepth: 64, bodyTimeout: 1000 }, readers: {} };
  const ctx = new RequestContext(incoming as unknown as Incoming, params, tools as unknown as ContextTools); // what binding asks for
  assert.equal(handler(ctx), "x");
});
