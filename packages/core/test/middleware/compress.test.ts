import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { test } from "node:test";
import { promisify } from "node:util";
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  gzip,
  zstdDecompressSync,
} from "node:zlib";
import { api, type Context, type Routes, route } from "@tenon/core";
import { compress } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { moduleOf } from "../support/transports.ts";
import { testUndecoded } from "../support/undecoded.ts";

const text = "All work and no play makes Jack a dull boy. ".repeat(100);
const decoders = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync };
const app = { middlewares: [compress()] };

async function* pieces(count: number): AsyncGenerator<string> {
  for (let index = 0; index < count; index++) yield text;
}

function withHeaders(headers: Record<string, string>, body: () => unknown = () => new TextEncoder().encode(text)) {
  return (ctx: Context) => {
    for (const [name, value] of Object.entries(headers)) ctx.response().setHeader(name, value);
    return body();
  };
}

const routes: Routes = [
  { method: "GET", path: "/text", handler: (ctx) => ctx.status(200).send(text) },
  { method: "GET", path: "/json", handler: () => ({ text }) },
  { method: "GET", path: "/large", handler: () => ({ text: text.repeat(4) }) },
  { method: "GET", path: "/bytes", handler: withHeaders({ "content-type": "text/css" }) },
  { method: "GET", path: "/stream", handler: () => pieces(50) },
  { method: "GET", path: "/node-stream", handler: () => Readable.from(pieces(50)) },
  { method: "GET", path: "/web-stream", handler: () => new Response(text.repeat(50)) },
  { method: "GET", path: "/lines", handler: () => Readable.from([{ a: 1 }, { b: text }]) },
];

function acceptOf(value: string): RequestInit {
  return { headers: { "accept-encoding": value } };
}

async function bytesOf(res: Response): Promise<Buffer> {
  return Buffer.from(await res.arrayBuffer());
}

for (const [encoding, decode] of Object.entries(decoders)) {
  testUndecoded(
    `text, JSON, bytes and streams are sent as ${encoding}, small ones in one piece with their length`,
    routes,
    async (call) => {
      const plain: Record<string, string> = {
        "/text": text,
        "/json": JSON.stringify({ text }),
        "/large": JSON.stringify({ text: text.repeat(4) }),
        "/bytes": text,
        "/stream": text.repeat(50),
        "/node-stream": text.repeat(50),
        "/web-stream": text.repeat(50),
        "/lines": `{"a":1}\n${JSON.stringify({ b: text })}\n`,
      };
      for (const [path, expected] of Object.entries(plain)) {
        const res = await call("GET", path, acceptOf(encoding));
        assert.equal(res.status, 200, path);
        assert.equal(res.headers.get("content-encoding"), encoding, path);
        assert.equal(res.headers.get("vary"), "Accept-Encoding", path);
        const bytes = await bytesOf(res);
        const length = ["/text", "/json", "/bytes"].includes(path) ? String(bytes.byteLength) : null;
        assert.equal(res.headers.get("content-length"), length, path);
        assert.ok(bytes.byteLength < expected.length / 4, `${path} has ${bytes.byteLength} bytes`);
        assert.equal(decode(bytes).toString(), expected, path);
      }
    },
    app,
  );
}

testUndecoded(
  "a client that takes none of them gets the plain body, marked as one of several variants",
  routes,
  async (call) => {
    for (const accepted of ["identity", "deflate", "gzip;q=0"]) {
      const res = await call("GET", "/text", acceptOf(accepted));
      assert.equal(res.headers.get("content-encoding"), null);
      assert.equal(res.headers.get("vary"), "Accept-Encoding");
      assert.equal(res.headers.get("content-length"), String(text.length));
      assert.equal(await res.text(), text);
    }
  },
  app,
);

testUndecoded(
  "the options choose among the encodings and set the threshold",
  [
    { method: "GET", path: "/9", handler: (ctx) => ctx.status(200).send("123456789") },
    { method: "GET", path: "/10", handler: (ctx) => ctx.status(200).send("€€€0") },
  ],
  async (call) => {
    const small = await call("GET", "/9", acceptOf("br, gzip, zstd"));
    assert.equal(small.headers.get("content-encoding"), null);
    assert.equal(small.headers.get("vary"), null);
    const large = await call("GET", "/10", acceptOf("br, gzip, zstd"));
    assert.equal(large.headers.get("content-encoding"), "gzip");
    assert.equal(gunzipSync(await bytesOf(large)).toString(), "€€€0");
  },
  { middlewares: [compress({ threshold: 10, encodings: ["gzip", "br"] })] },
);

const untouched: readonly Record<string, string>[] = [
  { "content-type": "text/css", "content-encoding": "br" },
  { "content-type": "text/css", "cache-control": "public, No-Transform" },
  { "content-type": "text/css", "content-range": "bytes 0-4399/9000" },
  { "content-type": "text/css", "content-digest": "sha-256=:AAAA:" },
  {},
  ...[
    "text/event-stream; charset=utf-8",
    "video/mp4",
    "application/jsonx",
    "application/zip",
    "font/woff2",
    "image/png",
  ].map((type) => ({ "content-type": type })),
];
testUndecoded(
  "what is encoded, a part, signed, not to be changed, or not text is left alone",
  untouched.map((headers, index) => ({ method: "GET", path: `/${index}`, handler: withHeaders(headers) })),
  async (call) => {
    for (const [index, headers] of untouched.entries()) {
      const res = await call("GET", `/${index}`, acceptOf("gzip"));
      assert.equal(res.headers.get("content-encoding"), headers["content-encoding"] ?? null, JSON.stringify(headers));
      assert.equal(res.headers.get("vary"), null);
      assert.equal(await res.text(), text);
    }
  },
  app,
);

const texts = [
  ...["text/html; charset=utf-8", "TEXT/HTML", "application/problem+json", "image/svg+xml", "application/wasm"],
  ...["application/xhtml+xml;q=1", "application/javascript"],
];
testUndecoded(
  "types that are text by another name are compressed",
  [{ method: "GET", path: "/", handler: (ctx) => withHeaders({ "content-type": ctx.query("type") })(ctx) }],
  async (call) => {
    for (const type of texts) {
      const res = await call("GET", `/?type=${encodeURIComponent(type)}`, acceptOf("gzip"));
      assert.deepEqual([res.headers.get("content-encoding"), res.headers.get("content-type")], ["gzip", type]);
    }
  },
  app,
);

testUndecoded(
  "204, 304 and a reply without a body carry no encoding; 304 keeps its Vary",
  [
    { method: "GET", path: "/empty", handler: () => undefined },
    route.get("/same", (ctx) => {
      ctx.response().setHeader("content-type", "text/css").setHeader("etag", '"1"');
      return new Response(null, { status: 304 });
    }),
    { method: "GET", path: "/elsewhere", handler: (ctx) => ctx.redirect("/text") },
    route.get(
      "/nothing",
      withHeaders({ "content-type": "text/css", "content-length": "9000" }, () => new Response(null)),
    ),
  ],
  async (call) => {
    const empty = await call("GET", "/empty", acceptOf("gzip"));
    assert.equal(empty.status, 204);
    assert.equal(empty.headers.get("content-encoding"), null);
    const same = await call("GET", "/same", acceptOf("gzip"));
    assert.equal(same.status, 304);
    assert.equal(same.headers.get("content-encoding"), null);
    assert.equal(same.headers.get("vary"), "Accept-Encoding");
    const elsewhere = await call("GET", "/elsewhere", acceptOf("gzip"));
    assert.equal(elsewhere.status, 302);
    assert.equal(elsewhere.headers.get("content-encoding"), null);
    const nothing = await call("GET", "/nothing", acceptOf("gzip"));
    assert.equal(nothing.status, 200);
    assert.equal(nothing.headers.get("content-encoding"), null);
    assert.equal(nothing.headers.get("content-length"), "0");
  },
  app,
);

testUndecoded(
  "HEAD has the headers of GET and no length that is not its own",
  [
    ...routes,
    route.head("/own", (ctx) => {
      ctx.response().setHeader("content-type", "text/css").setHeader("content-length", ctx.query("length"));
      return new Response(null);
    }),
  ],
  async (call) => {
    const pick = (res: Response) =>
      ["content-encoding", "content-type", "content-length", "vary"].map((name) => res.headers.get(name));
    for (const path of ["/text", "/stream", "/node-stream"]) {
      const head = await call("HEAD", path, acceptOf("gzip"));
      assert.equal(head.status, 200);
      assert.equal(await head.text(), "");
      assert.deepEqual(pick(head), pick(await call("GET", path, acceptOf("gzip"))), path);
    }
    assert.deepEqual(pick(await call("HEAD", "/own?length=9000", acceptOf("br"))), [
      "br",
      "text/css",
      null,
      "Accept-Encoding",
    ]);
    assert.deepEqual(pick(await call("HEAD", "/own?length=90", acceptOf("br"))), [null, "text/css", "90", null]);
  },
  app,
);

testUndecoded(
  "a strong ETag becomes weak, a weak one stays, and parts are no longer offered",
  [
    route.get("/strong", withHeaders({ "content-type": "text/css", etag: '"abc"', "accept-ranges": "bytes" })),
    { method: "GET", path: "/weak", handler: withHeaders({ "content-type": "text/css", etag: 'W/"abc"' }) },
  ],
  async (call) => {
    const strong = await call("GET", "/strong", acceptOf("gzip"));
    assert.equal(strong.headers.get("etag"), 'W/"abc"');
    assert.equal(strong.headers.get("accept-ranges"), null);
    const weak = await call("GET", "/weak", acceptOf("gzip"));
    assert.equal(weak.headers.get("etag"), 'W/"abc"');
    const plain = await call("GET", "/strong", acceptOf("identity"));
    assert.equal(plain.headers.get("etag"), '"abc"');
    assert.equal(plain.headers.get("accept-ranges"), "bytes");
  },
  app,
);

const streamDecoders = { br: createBrotliDecompress, zstd: createZstdDecompress, gzip: createGunzip };
for (const [encoding, createDecoder] of Object.entries(streamDecoders)) {
  test(`chunks of a stream are sent at once, each in a form that can be decoded (${encoding})`, async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const handler = async function* () {
      yield "first";
      await released;
      yield "second";
    };
    const server = await createTestApp(moduleOf([{ method: "GET", path: "/", handler }]), api(app));
    try {
      const res = await server.request("GET", "/", { headers: { "accept-encoding": encoding } });
      assert.ok(res.body !== null);
      const decoder = Readable.fromWeb(res.body).pipe(createDecoder());
      const [first] = await once(decoder, "data");
      assert.equal(String(first), "first"); // the handler still waits
      release();
      const [second] = await once(decoder, "data");
      assert.equal(String(second), "second");
    } finally {
      await server.stop();
    }
  });
}

/** Yields random bytes without end, and records how often and whether it was stopped. */
function endless() {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const state = { pulled: 0, stopped };
  async function* handler() {
    try {
      for (;;) {
        state.pulled++;
        yield randomBytes(32 * 1024).toString("base64");
      }
    } finally {
      stop();
    }
  }
  return { state, routes: [{ method: "GET", path: "/", handler }] satisfies Routes };
}

/** Waits until no chunk is made while others are compressed. */
async function untilStill(state: { readonly pulled: number }): Promise<void> {
  for (let last = -1; last !== state.pulled && state.pulled < 5000; ) {
    last = state.pulled;
    for (let round = 0; round < 20; round++) await promisify(gzip)(randomBytes(32 * 1024));
  }
}

test("a stream is compressed no faster than it is read, and stopped when the reader stops", async () => {
  const { state, routes } = endless();
  const server = await createTestApp(moduleOf(routes), api(app));
  try {
    const res = await server.request("GET", "/", { headers: { "accept-encoding": "gzip" } });
    await untilStill(state);
    assert.ok(state.pulled < 100, `${state.pulled} chunks were made for a reader that took none`);
    const reader = res.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await state.stopped;
  } finally {
    await server.stop();
  }
});

test("a client that goes away stops a compressed stream", async () => {
  const { state, routes } = endless();
  const server = await createTestApp(moduleOf(routes), api(app));
  try {
    const { port } = await server.listen({ port: 0, signals: false });
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n");
    await once(socket, "data");
    socket.pause();
    await untilStill(state);
    assert.ok(state.pulled < 2000, `${state.pulled} chunks were made for a client that stopped reading`);
    socket.destroy();
    await state.stopped;
  } finally {
    await server.stop();
  }
});

test("HEAD stops the stream that it does not send", async () => {
  const { state, routes } = endless();
  const server = await createTestApp(moduleOf(routes), api(app));
  try {
    const res = await server.request("HEAD", "/", { headers: { "accept-encoding": "gzip" } });
    assert.equal(res.headers.get("content-encoding"), "gzip");
    await state.stopped;
    assert.equal(state.pulled, 1);
  } finally {
    await server.stop();
  }
});
