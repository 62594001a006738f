import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { api, type Context, Reply, type Route, type Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";

const get = (path: string, handler: (ctx: Context) => unknown): Route => ({ method: "GET", path, handler });
const json = "application/json; charset=utf-8";
const text = "text/plain; charset=utf-8";
const octets = "application/octet-stream";

const cases: readonly {
  title: string;
  value: (ctx: Context) => unknown;
  status?: number;
  type?: string | null;
  body: string;
}[] = [
  { title: "a plain object", value: () => ({ a: [1, { b: null }], c: undefined }), body: '{"a":[1,{"b":null}]}' },
  { title: "a list", value: () => [1, "x"], body: '[1,"x"]' },
  { title: "nothing", value: () => undefined, status: 204, type: null, body: "" },
  { title: "a promise of nothing", value: async () => {}, status: 204, type: null, body: "" },
  { title: "null", value: () => null, body: "null" },
  { title: "a text", value: () => 'a "b"\u2028', body: '"a \\"b\\"\u2028"' },
  { title: "an empty string", value: () => "", body: '""' },
  { title: "a number", value: () => 1.5, body: "1.5" },
  { title: "zero", value: () => 0, body: "0" },
  { title: "NaN, which JSON does not have", value: () => Number.NaN, body: "null" },
  { title: "false", value: () => false, body: "false" },
  { title: "a date", value: () => new Date(0), body: '"1970-01-01T00:00:00.000Z"' },
  { title: "a date inside", value: () => ({ at: new Date(0) }), body: '{"at":"1970-01-01T00:00:00.000Z"}' },
  { title: "an object with toJSON", value: () => ({ toJSON: () => "shown" }), body: '"shown"' },
  { title: "bytes", value: () => new Uint8Array([0x68, 0x69]), type: octets, body: "hi" },
  { title: "a buffer", value: () => Buffer.from("hi"), type: octets, body: "hi" },
  { title: "an ArrayBuffer", value: () => new Uint8Array([0x68, 0x69]).buffer, type: octets, body: "hi" },
  { title: "no bytes", value: () => new Uint8Array(), type: octets, body: "" },
  { title: "{error}", value: () => ({ error: "x" }), status: 400, body: '{"error":"x"}' },
  {
    title: "{error, status}",
    value: () => ({ error: "x", status: 403 }),
    status: 403,
    body: '{"error":"x","status":403}',
  },
  { title: "{_status, data}", value: () => ({ _status: 201, data: [1] }), status: 201, body: "[1]" },
  { title: "{_status: 204, data}", value: () => ({ _status: 204, data: 1 }), status: 204, type: null, body: "" },
  { title: "nearly a convention", value: () => ({ error: "x", more: 1 }), body: '{"error":"x","more":1}' },
  { title: "status().json()", value: (ctx) => ctx.status(202).json("x"), status: 202, body: '"x"' },
  { title: "status().send()", value: (ctx) => ctx.status(202).send("x"), status: 202, type: text, body: "x" },
  { title: "a Reply", value: () => new Reply(206, "raw", Buffer.from("hi")), status: 206, type: octets, body: "hi" },
  {
    title: "a Node stream",
    value: () => Readable.from([Buffer.from("a"), Buffer.from("b")]),
    type: octets,
    body: "ab",
  },
  { title: "a web stream", value: () => new Blob(["ab"]).stream(), type: octets, body: "ab" },
  {
    title: "an async iterable of text",
    value: async function* () {
      yield "a";
      yield "";
      yield "ü";
    },
    type: text,
    body: "aü",
  },
  {
    title: "an async iterable of objects",
    value: async function* () {
      yield { a: 1 };
      yield [2];
      yield null;
    },
    type: "application/x-ndjson",
    body: '{"a":1}\n[2]\nnull\n',
  },
  { title: "an empty async iterable", value: async function* () {}, type: octets, body: "" },
];

testOnBothTransports(
  "every returned value has its status, content type and body, and no body for HEAD",
  cases.map(({ value }, index) => get(`/${index}`, value)),
  async (call) => {
    for (const [index, { title, status = 200, type = json, body }] of cases.entries()) {
      for (const method of ["GET", "HEAD"]) {
        const response = await call(method, `/${index}`);
        assert.equal(response.status, status, title);
        assert.equal(response.headers.get("content-type"), type, title);
        assert.equal(await response.text(), method === "HEAD" ? "" : body, title);
      }
    }
  },
);

testOnBothTransports(
  "a Response passes through with its status, headers, cookies and body, and the headers of the context",
  [
    get("/", (ctx) => {
      ctx.response().setHeader("x-context", "1");
      ctx.setCookie("own", "1");
      const headers = new Headers({ "content-type": "text/css", "x-response": "1" });
      headers.append("set-cookie", "a=1");
      headers.append("set-cookie", "b=2");
      return new Response("body {}", { status: 203, headers });
    }),
    get("/empty", () => new Response(null, { status: 204 })),
    get("/redirect", () => Response.redirect("https://example.com/", 307)),
  ],
  async (call) => {
    const response = await call("GET", "/");
    assert.equal(response.status, 203);
    assert.equal(response.headers.get("content-type"), "text/css");
    assert.equal(response.headers.get("x-response"), "1");
    assert.equal(response.headers.get("x-context"), "1");
    assert.deepEqual(response.headers.getSetCookie(), ["own=1; Path=/; HttpOnly; SameSite=Lax", "a=1", "b=2"]);
    assert.equal(await response.text(), "body {}");
    assert.equal((await call("GET", "/empty")).status, 204);
    const redirect = await call("GET", "/redirect");
    assert.deepEqual([redirect.status, redirect.headers.get("location")], [307, "https://example.com/"]);
  },
);

testOnBothTransports(
  "a Response that cannot be sent is a 500, and the application keeps serving",
  [
    get("/error", () => Response.error()),
    get("/used", async () => {
      const response = new Response("x");
      await response.text();
      return response;
    }),
    get("/fine", () => "alive"),
  ],
  async (call, _app, log) => {
    for (const path of ["/error", "/used"]) assert.equal((await call("GET", path)).status, 500, path);
    assert.deepEqual(log.causes(), [
      "Response.error() cannot be sent",
      "the body of the returned Response was already read",
    ]);
    assert.equal((await call("GET", "/fine")).status, 200);
  },
);

test("a fetched Response is passed on whole, without its connection headers", async () => {
  const upstream = createServer((_, res) => {
    res.writeHead(200, { "content-encoding": "gzip", "content-type": "text/plain", "x-upstream": "1" });
    res.end(gzipSync("a long text ".repeat(100)));
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo; // a TCP server has no other kind of address
  const routes: Routes = [get("/", () => fetch(`http://127.0.0.1:${port}/`))];
  const app = await createTestApp(moduleOf(routes), api());
  try {
    const { url } = await app.listen({ port: 0, signals: false });
    for (const response of [await fetch(url), await app.request("GET", "/")]) {
      assert.equal(response.headers.get("content-encoding"), null);
      assert.equal(response.headers.get("x-upstream"), "1");
      assert.equal(await response.text(), "a long text ".repeat(100));
    }
  } finally {
    await app.stop();
    upstream.closeAllConnections();
    upstream.close();
  }
});

testOnBothTransports(
  "a stream that fails before its first chunk is a 500",
  [
    get("/iterable", async function* () {
      yield* [];
      throw new Error("no first chunk");
    }),
    get("/stream", () => {
      const stream = new Readable({ read: () => stream.destroy(new Error("no file")) });
      return stream;
    }),
    get("/bigint", async function* () {
      yield 1n;
    }),
  ],
  async (call, _app, log) => {
    for (const path of ["/iterable", "/stream", "/bigint"]) {
      const response = await call("GET", path);
      assert.equal(response.status, 500, path);
      assert.deepEqual(await response.json(), { error: "Internal Server Error" });
    }
    assert.deepEqual(log.causes().slice(0, 2), ["no first chunk", "no file"]);
  },
);

testOnBothTransports(
  "a content type that the handler sets wins, also for streams and bytes",
  [
    get("/bytes", (ctx) => {
      ctx.response().setHeader("content-type", "image/png");
      return new Uint8Array(2);
    }),
    get("/stream", async function* (ctx) {
      ctx.response().setHeader("content-type", "text/csv");
      yield "a,b";
    }),
  ],
  async (call) => {
    assert.equal((await call("GET", "/bytes")).headers.get("content-type"), "image/png");
    assert.equal((await call("GET", "/stream")).headers.get("content-type"), "text/csv");
  },
);
