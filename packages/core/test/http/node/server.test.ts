import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { get } from "node:https";
import { test } from "node:test";
import { type ApiOptions, api, type Context, type Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { acceptedSocket } from "../../support/accepted-socket.ts";
import { connectionsOf } from "../../support/connections.ts";
import { Gate, request } from "../../support/gate.ts";
import { moduleOf } from "../../support/transports.ts";
import { until } from "../../support/until.ts";
import { testOnWire, type Wire } from "../../support/wire.ts";

function testOnNode(name: string, routes: Routes, body: (wire: Wire) => Promise<void>, options: ApiOptions = {}): void {
  testOnWire(`node:http: ${name}`, routes, body, { ...options, engine: "node" });
}

const post = (path: string, headers: string, body = "") =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;

const routes: Routes = [
  {
    method: "GET",
    path: "/who/:name",
    handler: (ctx) => ({
      name: ctx.param("name"),
      query: ctx.query("a"),
      header: ctx.header("x-a"),
      all: ctx.request().headers()["x-a"],
      host: ctx.request().host(),
      address: ctx.request().address(),
      protocol: ctx.request().protocol(),
    }),
  },
  { method: "POST", path: "/size", handler: async (ctx) => ({ size: (await ctx.request().body()).byteLength }) },
  { method: "GET", path: "/text", handler: (ctx) => ctx.status(201).send("é") },
];

testOnNode("a request passes path, query, headers, host and address on", routes, async ({ send, url }) => {
  const { status, body, headers } = await send(request("/who/ada?a=1", "X-A: one\r\nX-A: two\r\n"));
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(body), {
    name: "ada",
    query: "1",
    header: "one, two",
    all: "one, two",
    host: "localhost",
    address: "127.0.0.1",
    protocol: "http",
  });
  assert.equal(headers.get("connection"), "keep-alive");
  const text = await fetch(`${url}/text`);
  assert.deepEqual([text.status, await text.text()], [201, "é"]);
  const missing = await fetch(`${url}/missing`);
  assert.deepEqual([missing.status, await missing.json()], [404, { error: "Not Found" }]);
});

testOnNode(
  "forwarded headers count from trusted proxies",
  routes,
  async ({ send }) => {
    const forwarded = "X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: example.org\r\n";
    const { address, protocol, host } = JSON.parse((await send(request("/who/ada", forwarded))).body);
    assert.deepEqual([address, protocol, host], ["192.0.2.7", "https", "example.org"]);
  },
  { trustedProxies: ["127.0.0.1"] },
);

testOnNode("diagnostics_channel of node:http sees requests, as agents do", routes, async ({ url }) => {
  const seen: string[] = [];
  const listener = (message: unknown) => seen.push((message as { request: { url: string } }).request.url);
  diagnostics.subscribe("http.server.request.start", listener);
  await (await fetch(`${url}/text`)).text();
  diagnostics.unsubscribe("http.server.request.start", listener);
  assert.deepEqual(seen, ["/text"]);
});

const refused = {
  "a repeated Host": [request("/text", "Host: other\r\n"), 400],
  "no Host": ["GET /text HTTP/1.1\r\n\r\n", 400],
  "a long URI": [request(`/${"a".repeat(200)}`), 414],
  "too many headers": [request("/text", "X-A: 1\r\n".repeat(20)), 431],
  TRACE: ["TRACE /text HTTP/1.1\r\nHost: localhost\r\n\r\n", 501],
} as const;
for (const [name, [bytes, status]] of Object.entries(refused)) {
  testOnNode(
    `the inspection refuses ${name} with ${status}`,
    routes,
    async ({ untilClosed, log }) => {
      const [response] = await untilClosed(bytes);
      assert.equal(response?.status, status);
      assert.equal(response?.headers.get("content-type"), "application/json; charset=utf-8");
      assert.ok(log.messages("info").includes("refused"));
    },
    { limits: { uri: 100, headerCount: 10 }, middlewares: [] },
  );
}

testOnNode("a refused HEAD request has no body", routes, async ({ untilClosed }) => {
  const [response] = await untilClosed("HEAD / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", { head: true });
  assert.deepEqual([response?.status, response?.complete], [400, true]);
});

testOnNode(
  "a response whose client has left without reading it does not count as unread",
  [{ method: "GET", path: "/", handler: () => "x".repeat(60_000) }],
  async ({ connect, app, log }) => {
    for (let round = 0; round < 3; round++) {
      const accepted = acceptedSocket();
      const client = connect().send(request("/").repeat(500));
      client.socket.pause();
      const socket = await accepted;
      await until(() => socket.writableLength > 0, "response that waits for its client");
      client.socket.destroy();
      await until(async () => (await connectionsOf(app)) === 0, "closed connection");
    }
    assert.deepEqual(log.messages("warn"), []);
  },
  { limits: { pendingBytes: 70_000, pendingBytesTotal: 100_000 } },
);

testOnNode("OPTIONS * is 204, and bytes that Node's parser refuses get its own response", routes, async (wire) => {
  assert.equal((await wire.untilClosed("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n"))[0]?.status, 204);
  const client = wire.connect().send("GET / HTTP/1.1\r\nbroken\r\n\r\n");
  await client.until(({ closed }) => closed, "end");
  assert.match(client.text, /^HTTP\/1\.1 400 Bad Request\r\n/);
});

testOnNode(
  "bodies are read within their limit, by length and in chunks",
  routes,
  async ({ connect }) => {
    const client = connect();
    const expectNext = async (count: number, status: number, body: string) => {
      const response = (await client.responses(count)).at(-1);
      assert.deepEqual([response?.status, response?.body], [status, body]);
    };
    client.send(post("/size", "Content-Length: 5\r\n", "hello"));
    await expectNext(1, 200, '{"size":5}');
    client.send(post("/size", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"));
    await expectNext(2, 200, '{"size":5}');
    client.send(post("/size", "", ""));
    await expectNext(3, 200, '{"size":0}');
    client.send(post("/size", "Content-Length: 12\r\n", "hello, world"));
    await expectNext(4, 413, '{"error":"Payload Too Large"}');
    client.send(post("/size", "Transfer-Encoding: chunked\r\n", "c\r\nhello, world\r\n0\r\n\r\n"));
    await expectNext(5, 413, '{"error":"Payload Too Large"}');
  },
  { limits: { body: 10 } },
);

const started = Promise.withResolvers<void>();
const cutOff = Promise.withResolvers<unknown>();
testOnNode(
  "a body that is cut off rejects, and ctx.signal is aborted",
  [
    {
      method: "POST",
      path: "/",
      handler: async (ctx: Context) => {
        started.resolve();
        const aborted = new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
        const error = await ctx
          .request()
          .body()
          .catch((reason: unknown) => reason);
        await aborted;
        cutOff.resolve(error);
        ctx.signal.throwIfAborted();
      },
    },
  ],
  async ({ connect }) => {
    const client = connect().send(post("/", "Content-Length: 5\r\n", "he"));
    await started.promise;
    client.socket.destroy();
    const error = await cutOff.promise;
    assert.equal((error as { readonly status?: number }).status, 400);
  },
);

async function* counted(): AsyncGenerator<string> {
  yield "one ";
  yield "two";
}

async function* failing(): AsyncGenerator<string> {
  yield "one ";
  await new Promise((resolve) => setImmediate(resolve)); // node:http writes at the end of a turn
  throw new Error("no more");
}

const streams: Routes = [
  { method: "GET", path: "/stream", handler: () => counted() },
  { method: "GET", path: "/failing", handler: () => failing() },
  { method: "GET", path: "/large", handler: () => new Uint8Array(2 ** 20) },
  { method: "GET", path: "/huge", handler: () => new Uint8Array(3 * 2 ** 20) },
];

testOnNode(
  "streams and large bodies are written in pieces; one that fails closes the connection",
  streams,
  async ({ url, untilClosed, log }) => {
    assert.equal(await (await fetch(`${url}/stream`)).text(), "one two");
    assert.equal((await (await fetch(`${url}/large`)).arrayBuffer()).byteLength, 2 ** 20);
    const [failed] = await untilClosed(request("/failing"));
    assert.deepEqual([failed?.status, failed?.complete], [200, false]);
    const huge = await fetch(`${url}/huge`);
    assert.equal(huge.status, 500);
    assert.deepEqual(log.messages("error"), [
      "GET /failing: the stream failed",
      "GET /huge: the response could not be written",
    ]);
  },
  { limits: { pendingBytes: 2 ** 21 } },
);

const disconnected = Promise.withResolvers<void>();
testOnNode(
  "a client that does not read its response is disconnected",
  [
    {
      method: "GET",
      path: "/",
      handler: (ctx: Context) => {
        ctx.signal.addEventListener("abort", () => disconnected.resolve());
        return new Uint8Array(2 ** 24);
      },
    },
  ],
  async ({ connect }) => {
    connect().send(request("/")).socket.pause();
    await disconnected.promise;
  },
  { limits: { requestTimeout: 400, headerTimeout: 400 } },
);

const left = {
  started: Promise.withResolvers<void>(),
  go: Promise.withResolvers<void>(),
  aborted: Promise.withResolvers<boolean>(),
};
testOnNode(
  "connections are counted, and ctx.signal that is first read after the client has left is aborted",
  [
    {
      method: "GET",
      path: "/",
      handler: async (ctx: Context) => {
        left.started.resolve();
        await left.go.promise;
        left.aborted.resolve(ctx.signal.aborted);
      },
    },
  ],
  async ({ connect, app }) => {
    const client = connect().send(request("/"));
    await left.started.promise;
    assert.equal(await connectionsOf(app), 1);
    client.socket.destroy();
    await until(async () => (await connectionsOf(app)) === 0, "closed connection");
    left.go.resolve();
    assert.equal(await left.aborted.promise, true);
  },
);

const gate = new Gate();
testOnNode(
  "a stop waits for running requests, which close their connections",
  gate.routes,
  async ({ connect, app }) => {
    const idle = connect().send(request("/fast/1"));
    await idle.responses(1);
    const client = connect().send(request("/slow"));
    await gate.until(2);
    const stop = app.stop();
    await idle.untilClosed();
    gate.open();
    const [response] = await client.untilClosed();
    assert.deepEqual([response?.body, response?.headers.get("connection")], ['"slow"', "close"]);
    await stop;
  },
);

const stuck = new Gate();
testOnNode(
  "a stop closes the connections of running requests at its timeout",
  stuck.routes,
  async ({ connect, app, log }) => {
    const client = connect().send(request("/slow"));
    await stuck.until(1);
    await Promise.all([app.stop(), client.until(({ closed }) => closed, "end")]);
    assert.deepEqual(log.messages("warn"), ["the stop timed out: connections of running requests are closed"]);
  },
  { limits: { stopTimeout: 200 } },
);

testOnNode("the host of an absolute target wins over Host", routes, async ({ untilClosed }) => {
  const [response] = await untilClosed("GET http://b:81/who/ada HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  assert.equal(JSON.parse(response?.body ?? "").host, "b:81");
});

const first = {
  method: "POST" as const,
  path: "/first",
  handler: async (ctx: Context) => {
    await ctx.request().toWebRequest().body?.getReader().read();
    return "first";
  },
};
testOnNode("the rest of a body that was read in part is dropped", [...routes, first], async ({ connect }) => {
  const client = connect().send(
    `POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n${"x".repeat(100_000)}`,
  );
  await client.responses(1);
  client.send(`${"x".repeat(100_000)}${request("/text")}`);
  const responses = await client.responses(2);
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 201],
  );
});

test("node:http: serves https", async () => {
  const fixture = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url));
  const cert = fixture("cert");
  const app = await createTestApp(moduleOf(routes), api({ engine: "node" }));
  try {
    const { url } = await app.listen({ port: 0, tls: { key: fixture("key"), cert }, signals: false });
    const body = await new Promise<string>((resolve, reject) => {
      get(`${url}/who/ada`, { ca: cert, agent: false }, async (res) => {
        resolve(Buffer.concat(await res.toArray()).toString());
      }).on("error", reject);
    });
    assert.equal(JSON.parse(body).protocol, "https");
  } finally {
    await app.stop();
  }
});

test("node:http: a port that is in use stops the start", async () => {
  const first = await createTestApp(moduleOf(routes), api({ engine: "node" }));
  const second = await createTestApp(moduleOf(routes), api({ engine: "node" }));
  try {
    const { port } = await first.listen({ port: 0, signals: false });
    await assert.rejects(second.listen({ port, signals: false }), /is in use/);
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
});
