import assert from "node:assert/strict";
import { Readable } from "node:stream";
import type { Context } from "@tenon/core";
import { testOnBothTransports } from "../support/transports.ts";
import { testOnWire } from "../support/wire.ts";

const host = "Host: localhost\r\n";
const close = `${host}Connection: close\r\n`;

async function* words(): AsyncGenerator<string> {
  yield "one ";
  yield "two";
}

const bodies = [
  { method: "GET" as const, path: "/json", handler: () => ({ a: "é" }) },
  { method: "GET" as const, path: "/text", handler: (ctx: Context) => ctx.status(200).send("text") },
  { method: "GET" as const, path: "/bytes", handler: () => new Uint8Array([97, 98]) },
  { method: "GET" as const, path: "/stream", handler: () => words() },
  { method: "GET" as const, path: "/node", handler: () => Readable.from(["a", "b"]) },
  { method: "GET" as const, path: "/web", handler: () => ReadableStream.from(["a", "b"]) },
  { method: "GET" as const, path: "/response", handler: () => new Response("text") },
  {
    method: "GET" as const,
    path: "/error",
    handler: () => {
      throw new Error("no");
    },
  },
  { method: "GET" as const, path: "/empty", handler: () => undefined },
];

testOnWire("HEAD has the head of GET and no body", bodies, async ({ untilClosed }) => {
  for (const path of [...bodies.map((route) => route.path), "/missing"]) {
    const [get] = await untilClosed(`GET ${path} HTTP/1.1\r\n${close}\r\n`);
    const [head, ...more] = await untilClosed(`HEAD ${path} HTTP/1.1\r\n${close}\r\n`, { head: true });
    assert.deepEqual(more, [], path);
    assert.equal(head?.status, get?.status, path);
    for (const name of ["content-type", "content-length"]) {
      assert.equal(head?.headers.get(name), get?.headers.get(name), path);
    }
  }
});

testOnWire("HEAD of a refused request has no body either", bodies, async ({ untilClosed }) => {
  const responses = await untilClosed(`HEAD / HTTP/1.1\r\n${close}Host: localhost\r\n\r\n`, { head: true });
  assert.deepEqual(
    responses.map((response) => response.status),
    [400],
  );
});

const bare = [204, 205, 304].flatMap((status) => [
  { method: "GET" as const, path: `/json/${status}`, handler: (ctx: Context) => ctx.status(status).json({ a: 1 }) },
  { method: "GET" as const, path: `/text/${status}`, handler: (ctx: Context) => ctx.status(status).send("text") },
  {
    method: "GET" as const,
    path: `/length/${status}`,
    handler: (ctx: Context) => {
      ctx.response().setHeader("content-length", "9").setHeader("etag", '"a"');
      return ctx.status(status).send("text");
    },
  },
]);

testOnWire("bytes after a response without a body are not its body", bare, async ({ connect }) => {
  const client = connect();
  for (const { path } of bare) client.send(`GET ${path} HTTP/1.1\r\n${host}\r\n`);
  const responses = await client.responses(bare.length);
  assert.deepEqual(
    responses.map((response) => response.status),
    bare.map(({ path }) => Number(path.slice(-3))),
  );
});

const framing = [
  {
    method: "GET" as const,
    path: "/text",
    handler: (ctx: Context) => {
      ctx.response().setHeader("content-length", "1").setHeader("transfer-encoding", "chunked");
      ctx
        .response()
        .setHeader("keep-alive", "timeout=999")
        .setHeader("trailer", "x")
        .setHeader("connection", "upgrade");
      return ctx.status(200).send("text");
    },
  },
  {
    method: "GET" as const,
    path: "/large",
    handler: (ctx: Context) => {
      ctx.response().setHeader("content-length", "5");
      return Buffer.alloc(300_000, "x");
    },
  },
  {
    method: "GET" as const,
    path: "/none",
    handler: (ctx: Context) => {
      ctx.response().setHeader("content-length", "5");
      return ctx.redirect("/text");
    },
  },
  {
    method: "GET" as const,
    path: "/stream",
    handler: (ctx: Context) => {
      ctx.response().setHeader("content-length", "7").setHeader("transfer-encoding", "gzip");
      return words();
    },
  },
  {
    method: "GET" as const,
    path: "/close",
    handler: (ctx: Context) => {
      ctx.response().setHeader("connection", "close");
      return "last";
    },
  },
];

testOnWire(
  "an application cannot set the framing of its response, but may close the connection",
  framing,
  async ({ connect }) => {
    const client = connect();
    for (const { path } of framing) client.send(`GET ${path} HTTP/1.1\r\n${host}\r\n`);
    const responses = await client.untilClosed();
    assert.deepEqual(
      responses.map((response) => [
        response.headers.get("content-length"),
        response.headers.get("transfer-encoding"),
        response.body,
      ]),
      [
        ["4", null, "text"],
        ["300000", null, "x".repeat(300_000)],
        ["0", null, ""],
        ["7", null, "one two"],
        ["6", null, '"last"'],
      ],
    );
    assert.deepEqual(
      responses.map((response) => response.headers.get("connection")),
      [...Array<string>(4).fill("keep-alive"), "close"],
    );
  },
);

let handledBehind = 0;

testOnWire(
  "no request is handled after a response that closes the connection",
  [
    ...framing,
    {
      method: "GET" as const,
      path: "/next",
      handler: () => {
        handledBehind++;
        return "next";
      },
    },
  ],
  async ({ untilClosed }) => {
    const responses = await untilClosed(`GET /close HTTP/1.1\r\n${host}\r\nGET /next HTTP/1.1\r\n${host}\r\n`);
    assert.deepEqual(
      responses.map((response) => [response.headers.get("connection"), response.body]),
      [["close", '"last"']],
    );
    assert.equal(handledBehind, 0);
  },
);

testOnWire("a stream to an HTTP/1.0 client ends with the connection", bodies, async ({ connect }) => {
  const client = connect().send("GET /stream HTTP/1.0\r\n\r\n");
  const [response] = await client.untilClosed();
  assert.deepEqual([response?.headers.has("transfer-encoding"), response?.body], [false, "one two"]);
});

const taken = ReadableStream.from(["a"]);
taken.getReader();
const unwritable = [
  {
    method: "GET" as const,
    path: "/locked",
    handler: () => {
      const response = new Response("a");
      response.body?.getReader();
      return response;
    },
  },
  {
    method: "GET" as const,
    path: "/hook",
    handler: (ctx: Context) => {
      ctx.onReply((outgoing) => {
        outgoing.encode("identity", () => taken); // locked: it cannot be read a second time
      });
      return "x";
    },
  },
];

testOnBothTransports("a response that cannot be written is one 500, and logged", unwritable, async (call, _, log) => {
  for (const { path } of unwritable) {
    const res = await call("GET", path);
    assert.deepEqual([res.status, await res.json()], [500, { error: "Internal Server Error" }], path);
  }
  assert.equal(log.messages("error").length, unwritable.length);
});

const kept = [
  ...bodies,
  {
    method: "GET" as const,
    path: "/headers",
    handler: (ctx: Context) => {
      ctx.setCookie("a", "1");
      ctx.setCookie("b", "2");
      ctx.response().setHeader("date", "Thu, 01 Jan 1970 00:00:00 GMT").setHeader("x-own", "yes");
      return ctx.status(201).json("");
    },
  },
  { method: "GET" as const, path: "/nothing", handler: (ctx: Context) => ctx.status(200).send("") },
];

testOnWire("every response states how long its connection is kept", kept, async ({ connect }) => {
  const client = connect();
  for (const { path } of kept) client.send(`GET ${path} HTTP/1.1\r\n${host}\r\n`);
  const responses = await client.responses(kept.length);
  for (const [index, { headers }] of responses.entries()) {
    const keepAlive = [headers.get("connection"), headers.get("keep-alive")];
    assert.deepEqual(keepAlive, ["keep-alive", "timeout=5"], String(kept[index]?.path));
  }
  assert.equal(client.text.match(/^date: /gim)?.length, kept.length, "each has one date");
  client.send(`GET /json HTTP/1.1\r\n${close}\r\n`);
  const last = (await client.untilClosed()).at(-1);
  assert.deepEqual([last?.headers.get("connection"), last?.headers.get("keep-alive")], ["close", null]);
});

testOnWire("the Date header is current, unless the application sets one", kept, async ({ connect }) => {
  const client = connect().send(`GET /json HTTP/1.1\r\n${host}\r\nGET /headers HTTP/1.1\r\n${host}\r\n`);
  const [json, own] = await client.responses(2);
  const date = json?.headers.get("date") ?? "";
  assert.equal(new Date(date).toUTCString(), date);
  assert.ok(Math.abs(Date.now() - Date.parse(date)) < 60_000);
  assert.equal(own?.headers.get("date"), "Thu, 01 Jan 1970 00:00:00 GMT");
});

testOnWire("a response in one piece has its status, each of its cookies and its length", kept, async ({ connect }) => {
  const client = connect().send(`GET /headers HTTP/1.1\r\n${host}\r\nGET /nothing HTTP/1.1\r\n${host}\r\n`);
  const [response, nothing] = await client.responses(2);
  assert.match(client.text, /^HTTP\/1\.1 201 Created\r\n/);
  assert.equal(response?.headers.getSetCookie().length, 2);
  assert.deepEqual([response?.headers.get("x-own"), response?.body], ["yes", '""']);
  assert.deepEqual([nothing?.headers.get("content-length"), nothing?.body], ["0", ""]);
});

const texts = ["plain", "é", "😀", "a\u0000b", "", "x".repeat(20_000), `${"x".repeat(20_000)}é`];

testOnWire(
  "text of every kind arrives whole, whatever was sent with the same status before",
  texts.flatMap((text, index) => [
    { method: "GET" as const, path: `/text/${index}`, handler: (ctx: Context) => ctx.status(200).send(text) },
    { method: "GET" as const, path: `/json/${index}`, handler: () => ({ text }) },
    {
      method: "GET" as const,
      path: `/etag/${index}`,
      handler: (ctx: Context) => {
        ctx.response().setHeader("etag", '"é"');
        return text;
      },
    },
  ]),
  async ({ connect }) => {
    const client = connect();
    for (const index of texts.keys()) {
      for (const kind of ["text", "json", "etag"]) client.send(`GET /${kind}/${index} HTTP/1.1\r\n${host}\r\n`);
    }
    const responses = await client.responses(3 * texts.length);
    client.send(`GET /etag/1 HTTP/1.1\r\n${close}\r\n`);
    await client.untilClosed();
    assert.equal(client.text.split('\r\netag: "é"\r\n').length, texts.length + 2, "each etag is one of Latin-1");
    const decode = (body: string) => Buffer.from(body, "latin1").toString(); // the client keeps bytes
    assert.deepEqual(
      responses.map(({ headers, body }) => [
        headers.get("content-type")?.split(";")[0],
        headers.get("etag"),
        decode(body),
      ]),
      texts.flatMap((text) => [
        ["text/plain", null, text],
        ["application/json", null, JSON.stringify({ text })],
        ["application/json", '"é"', JSON.stringify(text)],
      ]),
    );
  },
);

testOnWire("an HTTP/1.0 client keeps its connection with Connection: keep-alive", kept, async ({ connect }) => {
  const get = (path: string) => `GET ${path} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`;
  const responses = await connect().send(get("/json")).send(get("/stream")).untilClosed();
  assert.deepEqual(
    responses.map(({ headers, body }) => [headers.get("connection"), headers.get("keep-alive"), body]),
    [
      ["keep-alive", "timeout=5", '{"a":"\u00c3\u00a9"}'],
      ["close", null, "one two"],
    ],
  );
});
