import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { get as httpsGet } from "node:https";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { type ClientInfo, type ServeOptions, serve } from "@tenon/server";
import { H3 } from "h3";
import { Hono } from "hono";
import { setCookie } from "hono/cookie";
import { requestRaw } from "../../core/test/support/raw-request.ts";
import { sendRaw } from "../../core/test/support/raw-socket.ts";
import { until } from "../../core/test/support/until.ts";

const errors: unknown[][] = [];
const log = { info() {}, warn() {}, error: (...line: unknown[]) => errors.push(line) };

afterEach(() => {
  errors.length = 0;
});

async function start(fetchHandler: ServeOptions["fetch"], options: Omit<ServeOptions, "fetch"> = {}) {
  const server = await serve({ fetch: fetchHandler, port: 0, log, ...options });
  return Object.assign(server, {
    get: (path: string, init?: RequestInit) => fetch(server.url + path, init),
    [Symbol.asyncDispose]: () => server.close(),
  });
}

test("an application of Hono runs unchanged", async () => {
  const app = new Hono<{ Bindings: ClientInfo }>();
  app.get("/posts/:id", (c) =>
    c.json({ id: c.req.param("id"), tags: c.req.queries("tag"), from: c.env.incoming.address }),
  );
  app.post("/json", async (c) => c.json(await c.req.json()));
  app.post("/form", async (c) => c.json(await c.req.parseBody()));
  app.get("/cookies", (c) => {
    setCookie(c, "a", "1");
    setCookie(c, "b", "2");
    return c.text("set");
  });
  app.get("/copy", (c) => c.text(new Request(c.req.raw, { headers: { "x-copy": "yes" } }).headers.get("x-copy") ?? ""));
  app.get("/error", () => {
    throw new Error("no");
  });
  app.onError((error, c) => c.text(error.message, 500));
  await using server = await start(app.fetch);
  const found = await server.get("/posts/7?tag=a&tag=b");
  assert.equal(found.headers.get("content-length"), "46");
  assert.deepEqual(await found.json(), { id: "7", tags: ["a", "b"], from: "127.0.0.1" });
  assert.deepEqual(await (await server.get("/json", { method: "POST", body: '{"a":"ü"}' })).json(), { a: "ü" });
  const form = await server.get("/form", { method: "POST", body: new URLSearchParams({ q: "1" }) });
  assert.deepEqual(await form.json(), { q: "1" });
  assert.deepEqual((await server.get("/cookies")).headers.getSetCookie(), ["a=1; Path=/", "b=2; Path=/"]);
  assert.equal(await (await server.get("/copy")).text(), "yes");
  assert.equal((await server.get("/missing")).status, 404);
  assert.equal(await (await server.get("/error")).text(), "no");
  const head = await requestRaw(server.port, "/posts/7", { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.doesNotMatch(head.head, /content-length/i); // Hono drops the body, and with it the length
  assert.equal(head.body, "");
});

test("an application of h3 runs unchanged", async () => {
  const app = new H3();
  app.get("/", (event) => ({ path: event.url.pathname }));
  app.post("/", async (event) => {
    event.context.user = "ada";
    return { user: event.context.user, body: await event.req.json() };
  });
  await using server = await start(app.fetch);
  assert.deepEqual(await (await server.get("/")).json(), { path: "/" });
  const posted = await server.get("/", { method: "POST", body: "[1]" });
  assert.deepEqual(await posted.json(), { user: "ada", body: [1] });
  assert.equal((await server.get("/missing")).status, 404);
});

test("a body in memory has its length, a stream is sent while it is made", async () => {
  const silent = Promise.withResolvers<void>();
  await using server = await start(async ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname === "/text") return new Response("grüß");
    if (pathname === "/bytes") return new Response(new Uint8Array(3));
    if (pathname === "/empty") return new Response(null, { status: 204 });
    return new Response(
      new ReadableStream({
        async start(controller) {
          await silent.promise;
          controller.enqueue(new TextEncoder().encode("late"));
          controller.close();
        },
      }),
    );
  });
  const { head, body } = await requestRaw(server.port, "/text");
  assert.match(head, /content-type: text\/plain;charset=UTF-8\r\ncontent-length: 6\r\n/);
  assert.equal(body, Buffer.from("grüß").toString("latin1"));
  assert.match((await requestRaw(server.port, "/bytes")).head, /content-length: 3/);
  assert.match((await requestRaw(server.port, "/text", { method: "HEAD" })).head, /content-length: 6/);
  assert.doesNotMatch((await requestRaw(server.port, "/empty")).head, /content-length|content-type/);
  const stream = await server.get("/stream"); // the head comes before the first chunk
  assert.equal(stream.headers.get("transfer-encoding"), "chunked");
  silent.resolve();
  assert.equal(await stream.text(), "late");
});

test("the response may be made of the request body while that arrives", async () => {
  await using server = await start((request) => new Response(request.body));
  const request = httpRequest({ port: server.port, method: "POST" });
  request.write("one");
  const [response] = await once(request, "response");
  const [chunk] = await once(response, "data");
  assert.equal(String(chunk), "one");
  request.end("two");
  assert.equal(await text(response), "two");
});

test("a client that leaves aborts the signal and cancels the stream", async () => {
  const aborted = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const endless = () =>
    new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(9)), cancel: () => cancelled.resolve() });
  await using server = await start((request) => {
    request.signal.addEventListener("abort", () => aborted.resolve());
    return new Response(endless());
  });
  const socket = connect(server.port, "127.0.0.1").on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await once(socket, "data");
  socket.destroy();
  await Promise.all([aborted.promise, cancelled.promise]);
});

test("a read that the handler does not wait for rejects nothing when it has responded", async () => {
  await using server = await start((request) => {
    void request.json();
    return new Response("no", { status: 401 });
  });
  const socket = connect(server.port, "127.0.0.1").on("error", () => {});
  socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 20\r\n\r\n{");
  assert.match(String(await once(socket, "data")), /^HTTP\/1\.1 401 [\s\S]*connection: close/);
  socket.destroy();
  assert.equal((await server.get("/", { method: "POST", body: "1" })).status, 401);
});

test("a body that is read while its response is written, and not to its end, closes the connection", async () => {
  await using server = await start(({ body }) => {
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const pull = async (to: ReadableStreamDefaultController) => {
      await new Promise(setImmediate); // the head is written before
      to.enqueue((await reader.read()).value);
      to.close();
    };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
  });
  const socket = connect(server.port, "127.0.0.1")
    .on("error", () => {})
    .resume();
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 500000\r\n\r\n${"x".repeat(100_000)}`);
  await once(socket, "end");
  socket.destroy();
});

test("a response of fetch() is passed on decoded", async () => {
  const headers = { "content-encoding": "gzip" };
  await using upstream = await start(() => new Response(gzipSync("text"), { headers }));
  await using server = await start(() => fetch(upstream.url));
  const response = await server.get("/");
  assert.deepEqual([response.headers.get("content-encoding"), await response.text()], [null, "text"]);
});

test("a body past limits.body is a 413, whoever reads it", async () => {
  const app = new Hono();
  app.post("/", async (c) => c.text(await c.req.text()));
  const post = { method: "POST", body: "x".repeat(11) };
  await using hono = await start(app.fetch, { limits: { body: 10 } });
  assert.equal((await hono.get("/", post)).status, 413);
  await using bare = await start(async (request) => new Response(await request.text()), { limits: { body: 10 } });
  assert.equal((await bare.get("/", post)).status, 413);
  const chunked = "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n";
  assert.equal((await sendRaw(bare.port, chunked)).status, 413);
  await using form = await start(async (request) => new Response(String(await request.formData())), {
    limits: { body: 10 },
  });
  const data = { method: "POST", body: new URLSearchParams({ a: "x".repeat(11) }) };
  assert.equal((await form.get("/", data)).status, 413);
});

test("an error of the handler is a bare 500 and a log line", async () => {
  const results: Record<string, () => unknown> = {
    "/throws": () => {
      throw new Error("secret");
    },
    "/rejects": async () => Promise.reject(new Error("secret")),
    "/text": () => "not a Response",
    "/error": () => Response.error(),
    "/control": () => new Response("", { headers: { a: "\u0001" } }),
    "/undefined": () => undefined,
  };
  const handler = (request: Request) => results[new URL(request.url).pathname]?.() as Response; // some are not
  await using server = await start(handler);
  for (const path of Object.keys(results)) {
    const response = await server.get(path);
    assert.deepEqual([response.status, await response.text()], [500, "Internal Server Error"], path);
    assert.match(String(errors.pop()?.[1]), new RegExp(`GET ${path}: the handler failed`));
  }
  await using told = await start(handler, {
    onError: (error, request) => new Response(`${request.method} ${error}`, { status: 502 }),
  });
  assert.equal(await (await told.get("/throws")).text(), "GET Error: secret");
  await using broken = await start(handler, {
    onError: () => {
      throw new Error("again");
    },
  });
  assert.equal((await broken.get("/throws")).status, 500);
});

test("a request is not kept after its response, nor after its client has left", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  let kept = 0;
  const registry = new FinalizationRegistry(() => kept--);
  const called = new EventEmitter();
  const handler = (request: Request) => {
    kept++;
    registry.register(request.signal, undefined);
    called.emit("call");
    if (request.url.endsWith("/")) return new Response("done");
    return once(request.signal, "abort").then(() => new Response());
  };
  await using server = await start(handler);
  for (let count = 0; count < 5; count++) await (await server.get("/")).text();
  const abort = new AbortController();
  const [left] = await Promise.all([
    server.get("/hang", { signal: abort.signal }).catch((error: unknown) => error),
    once(called, "call").then(() => abort.abort()),
  ]);
  assert.ok(left instanceof Error);
  await until(() => {
    collect();
    return kept === 0;
  }, "collection of all requests");
});

test("close() lets running requests end", async () => {
  const called = Promise.withResolvers<void>();
  const released = Promise.withResolvers<Response>();
  const server = await start(() => {
    called.resolve();
    return released.promise;
  });
  const response = server.get("/");
  await called.promise;
  const closed = server.close();
  released.resolve(new Response("done"));
  assert.equal(await (await response).text(), "done");
  await closed;
  await assert.rejects(server.get("/"));
});

test("with tls, the server speaks https", async () => {
  const read = (name: string) => readFileSync(new URL(`../../core/test/fixtures/tls/${name}.pem`, import.meta.url));
  const tls = { key: read("key"), cert: read("cert") };
  await using server = await start((request, { incoming }) => new Response(`${request.url} ${incoming.protocol}`), {
    tls,
  });
  const [response] = await once(httpsGet(server.url, { rejectUnauthorized: false, agent: false }), "response");
  assert.equal(await text(response), `${server.url}/ https`);
});

test("what would be no limit is refused before the port opens", async () => {
  const fetchHandler = () => new Response();
  for (const options of [{ limits: { body: Number.NaN } }, { limits: { uri: 0 } }, { trustedProxies: ["a"] }]) {
    await assert.rejects(serve({ fetch: fetchHandler, port: 0, ...options }), /takes a whole number|not an address/);
  }
});
