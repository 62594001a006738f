import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { api, type Context, jsonArray, type Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { acceptedSocket } from "../support/accepted-socket.ts";
import { LogLines } from "../support/log-lines.ts";
import { moduleOf } from "../support/transports.ts";
import { until } from "../support/until.ts";
import { type RawClient, testOnWire } from "../support/wire.ts";

const key = readFileSync(new URL("../fixtures/tls/key.pem", import.meta.url));
const cert = readFileSync(new URL("../fixtures/tls/cert.pem", import.meta.url));
const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** A source of chunks that records what happens to it. */
class Source {
  made = 0;
  signal: AbortSignal | undefined;
  readonly returned: Promise<void>;
  readonly #returned = Promise.withResolvers<void>();

  constructor() {
    this.returned = this.#returned.promise;
  }

  /** Yields `count` chunks. Defaults to an endless stream. */
  async *chunks(chunk: string, count = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
    try {
      while (this.made < count) {
        this.made++;
        yield chunk;
      }
    } finally {
      this.#returned.resolve();
    }
  }

  readonly handler = (ctx: Context) => {
    this.signal = ctx.signal;
    return this.chunks("x".repeat(65_536));
  };
}

const stalled = new Source();
testOnWire(
  "a client that stops reading a stream is disconnected",
  [{ method: "GET", path: "/", handler: stalled.handler }],
  async ({ connect }) => {
    const client = connect().send(request("/"));
    await client.until(({ text }) => text.length > 0, "head");
    client.socket.pause();
    await stalled.returned;
    assert.equal(stalled.signal?.aborted, true);
  },
  { limits: { requestTimeout: 1500 } },
);

/** A stream that ends as soon as its socket buffers unread bytes. */
class Leftover {
  readonly #socket = Promise.withResolvers<Socket>();

  readonly handler = async function* (this: Leftover): AsyncGenerator<string> {
    const socket = await this.#socket.promise;
    for (; socket.writableLength === 0; await turn()) yield "x".repeat(4096);
  }.bind(this);

  /** Requests the stream and reads nothing. Returns the server's socket. */
  requestUnread(client: RawClient): Promise<Socket> {
    this.#socket.resolve(acceptedSocket());
    client.send(request("/")).socket.pause();
    return this.#socket.promise;
  }
}

const ends = new Leftover();
testOnWire(
  "a client that leaves the end of a stream unread is disconnected",
  [{ method: "GET", path: "/", handler: ends.handler }],
  async ({ connect }) => {
    const client = connect();
    await once(await ends.requestUnread(client), "close");
    client.socket.resume();
    const [response] = await client.untilClosed();
    assert.deepEqual([response?.status, response?.complete], [200, false]);
  },
  { limits: { requestTimeout: 1500 } },
);

const late = new Leftover();
testOnWire(
  "a client that reads the end of a stream late keeps its connection",
  [
    { method: "GET", path: "/", handler: late.handler },
    { method: "GET", path: "/next", handler: () => "next" },
  ],
  async ({ connect }) => {
    const client = connect();
    const socket = await late.requestUnread(client);
    await until(() => socket.timeout === 15_000, "deadline of the unread bytes");
    client.socket.resume();
    await client.until(({ text }) => text.endsWith("\r\n0\r\n\r\n"), "end of the stream");
    await until(() => socket.timeout === 0, "end of the deadline");
    client.send(request("/next"));
    await client.until(({ text }) => text.endsWith('"next"'), "second response");
  },
  { limits: { requestTimeout: 30_000 } },
);

const working = Promise.withResolvers<void>();
const silent = Promise.withResolvers<string>();
const staying = { started: Promise.withResolvers<void>(), go: Promise.withResolvers<void>() };
testOnWire(
  "ctx.signal aborts a running handler when its client leaves, however it leaves",
  [
    {
      method: "GET",
      path: "/",
      handler: (ctx: Context) =>
        new Promise((resolve) => {
          ctx.signal.addEventListener("abort", () => {
            silent.resolve("aborted");
            resolve("too late");
          });
          working.resolve();
        }),
    },
    {
      method: "GET",
      path: "/left",
      handler: async (ctx: Context) => {
        await once(ctx.signal, "abort");
        return ctx.signal.aborted;
      },
    },
    {
      method: "GET",
      path: "/stays",
      handler: async (ctx: Context) => {
        staying.started.resolve();
        await staying.go.promise;
        return ctx.signal.aborted;
      },
    },
  ],
  async ({ connect, send, serveOthers }) => {
    const reset = connect().send(request("/"));
    await working.promise;
    reset.socket.resetAndDestroy();
    assert.equal(await silent.promise, "aborted");
    const half = connect().send(request("/left"));
    half.socket.end();
    const [response] = await half.untilClosed();
    assert.equal(response?.body, "true", "a client that closes its sending side has left, too");
    const stays = send(request("/stays"));
    await staying.started.promise;
    await serveOthers();
    staying.go.resolve();
    assert.equal((await stays).body, "false");
  },
);

const contexts: Context[] = [];
testOnWire(
  "a response that was sent whole does not abort ctx.signal",
  [
    {
      method: "GET",
      path: "/",
      handler: (ctx: Context) => {
        contexts.push(ctx);
        return ctx.query("early") === "" ? "late" : ctx.signal.aborted;
      },
    },
  ],
  async ({ send, serveOthers }) => {
    await send(request("/?early=1"));
    await send(request("/"));
    await serveOthers();
    assert.deepEqual(
      contexts.map(({ signal }) => signal.aborted),
      [false, false],
    );
  },
);

/** Each chunk is sent before the next is made. */
async function* paced(values: readonly unknown[]): AsyncGenerator<unknown> {
  for (const value of values) {
    if (value instanceof Error) throw value;
    yield value;
    await turn();
  }
}

const withLength = (length: number) => (ctx: Context) => {
  ctx.response().setHeader("content-length", String(length));
  return paced(["chunk", "chunk"]);
};
const failure = new Error("the source failed");
const failures = [
  { method: "GET" as const, path: "/later", handler: () => paced(["chunk", "chunk", failure]) },
  { method: "GET" as const, path: "/bigint", handler: () => paced([{ a: 1 }, 2n]) },
  { method: "GET" as const, path: "/longer", handler: withLength(9) },
  { method: "GET" as const, path: "/shorter", handler: withLength(11) },
];

for (const path of ["/later", "/bigint", "/longer", "/shorter"]) {
  testOnWire(`a stream that fails later cuts the connection and is logged: GET ${path}`, failures, async (wire) => {
    const responses = await wire.untilClosed(request(path));
    assert.deepEqual(
      responses.map((response) => [response.status, response.complete]),
      [[200, false]],
    );
    assert.deepEqual(wire.log.messages("error"), [`GET ${path}: the stream failed`]);
  });
}

/** Sources that always have a next chunk, and that end only when they are stopped. */
const endless: Readonly<Record<string, (chunk: string) => AsyncIterable<unknown>>> = {
  generator: (chunk) => new Source().chunks(chunk),
  node: (chunk) => Readable.from(new Source().chunks(chunk)),
  web: (chunk) => new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }),
  rows: (chunk) => jsonArray(new Source().chunks(chunk)),
};
const leaving = new Set<AbortSignal>();
const endlessRoutes: Routes = [
  { method: "GET", path: "/probe", handler: () => "here" },
  {
    method: "GET",
    path: "/:kind/:size",
    handler: (ctx: Context) => {
      leaving.add(ctx.signal);
      return endless[ctx.param("kind")]?.("x".repeat(Number(ctx.param("size"))));
    },
  },
];
const sizes = [1, 16_000, 1_000_000];

for (const encrypted of [false, true]) {
  test(`clients that leave streams which are always ready leave a server that responds${encrypted ? " (TLS)" : ""}`, async () => {
    leaving.clear();
    const log = new LogLines();
    const app = await createTestApp(moduleOf(endlessRoutes), api(), { log: log.options });
    try {
      const tls = encrypted ? { tls: { key, cert } } : {};
      const { port } = await app.listen({ port: 0, signals: false, ...tls });
      const connectTo = () =>
        encrypted
          ? connectTls({ port, host: "127.0.0.1", ca: cert, servername: "localhost" })
          : connect(port, "127.0.0.1");
      for (const kind of Object.keys(endless)) {
        for (const size of sizes) {
          for (const version of ["1.0", "1.1"]) {
            const socket = connectTo().on("error", () => {});
            socket.write(`GET /${kind}/${size} HTTP/${version}\r\nHost: localhost\r\n\r\n`);
            await once(socket, "data");
            const probe = connectTo();
            probe.write("GET /probe HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            if (size === 16_000) socket.destroy();
            const [response] = (await once(probe, "data")) as [Buffer];
            assert.match(response.toString(), /^HTTP\/1\.1 200 /, `${kind}, ${size} bytes, HTTP/${version}`);
            socket.destroy();
            probe.destroy();
          }
        }
      }
      await until(() => [...leaving].every(({ aborted }) => aborted), "aborted signal of every stream");
      assert.equal(leaving.size, Object.keys(endless).length * sizes.length * 2);
      assert.deepEqual(log.messages("error"), []);
    } finally {
      await app.stop();
    }
  });
}

testOnWire(
  "eight clients that read endless streams as fast as they can delay others by a few rounds of the event loop only",
  endlessRoutes,
  async ({ connect, send }) => {
    for (let reader = 0; reader < 8; reader++) {
      const client = connect();
      client.socket.removeAllListeners("data").resume(); // reads, and keeps nothing
      client.send(request(`/${Object.keys(endless)[reader % 4]}/500`));
    }
    for (let round = 0; round < 50; round++) assert.equal((await send(request("/probe"))).status, 200);
  },
);
