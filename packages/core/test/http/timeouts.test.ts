import assert from "node:assert/strict";
import { once } from "node:events";
import type { ApiOptions, Context, HttpError } from "@tenon/core";
import { acceptedSocket } from "../support/accepted-socket.ts";
import { Gate, request } from "../support/gate.ts";
import { RawClient, testOnWire } from "../support/wire.ts";

const host = "Host: localhost\r\n";
const get = `GET / HTTP/1.1\r\n${host}\r\n`;
const post = (path: string) => `POST ${path} HTTP/1.1\r\n${host}Content-Length: 100000\r\n\r\n`;
const routes = [
  { method: "GET" as const, path: "/", handler: () => "ok" },
  { method: "POST" as const, path: "/", handler: async (ctx: Context) => (await ctx.request().body()).length },
  { method: "POST" as const, path: "/unread", handler: () => "unread" },
  { method: "GET" as const, path: "/large", handler: () => Buffer.alloc(16 * 1024 * 1024) },
];

/** Long enough for a whole request to arrive on a busy machine. */
const enough = 1500;

/** Sends bytes every ten milliseconds until the server has closed the connection, and keeps its own side open. */
async function dripUntilClosed(port: number, head: string, bytes: string): Promise<string> {
  const client = new RawClient(port, { stubborn: true }).send(head);
  const drip = setInterval(() => client.socket.write(bytes), 10);
  try {
    await client.until(({ closed }) => closed, "end");
    return client.text;
  } finally {
    clearInterval(drip);
    client.socket.destroy();
  }
}

const hidingRoute = {
  method: "POST" as const,
  path: "/hide",
  handler: (ctx: Context) =>
    ctx
      .request()
      .body()
      .catch(() => ctx.status(500).json("hidden")),
};
const late = 600_000;
const bodyTimeout = { bodyTimeout: 60, requestTimeout: late, keepAlive: late };
const drips: Readonly<Record<string, readonly [number, ApiOptions["limits"] & object, head: string, bytes: string]>> = {
  "a head": [408, { headerTimeout: 60, requestTimeout: late }, "GET / HTTP/1.1\r\n", "X"],
  "blank lines between requests": [200, { keepAlive: 50 }, get, "\r\n"],
  "a body, past the time of the request": [408, { requestTimeout: 120 }, post("/"), "a"],
  "a body, past its own time": [408, bodyTimeout, post("/"), "a"],
  "a body whose timeout the handler hides": [500, bodyTimeout, post("/hide"), "a"],
};
for (const [what, [status, limits, head, bytes]] of Object.entries(drips)) {
  testOnWire(
    `a client that trickles ${what} gets one response and is disconnected`,
    [...routes, hidingRoute],
    async ({ port }) => {
      const text = await dripUntilClosed(port, head, bytes);
      assert.deepEqual(text.match(/^HTTP\/1\.1 [0-9]+/gm), [`HTTP/1.1 ${status}`]);
    },
    { limits },
  );
}

testOnWire(
  "a client whose request never ends gets nothing after its response",
  routes,
  async ({ connect }) => {
    const client = connect().send(`POST /unread HTTP/1.1\r\n${host}Content-Length: 10\r\n\r\n`);
    const responses = await client.untilClosed();
    assert.deepEqual(
      responses.map((response) => response.status),
      [200],
    );
  },
  { limits: { requestTimeout: enough } },
);

const running = new Gate();
testOnWire(
  "an idle keep-alive connection is closed, one with a running request is not",
  running.routes,
  async ({ connect }) => {
    const client = connect().send(request("/fast/0") + request("/slow"));
    await running.until(2);
    const idle = await connect().send(request("/fast/1")).untilClosed();
    assert.deepEqual(
      idle.map((response) => [response.status, response.headers.get("connection")]),
      [[200, "keep-alive"]],
    );
    running.open();
    const [, response] = await client.responses(2);
    assert.deepEqual([response?.body, response?.headers.get("connection")], ['"slow"', "keep-alive"]);
  },
  { limits: { keepAlive: 1 } },
);

testOnWire(
  "a client that leaves a large response unread is disconnected",
  routes,
  async ({ connect }) => {
    const accepted = acceptedSocket();
    const client = connect().send(`GET /large HTTP/1.1\r\n${host}\r\n`);
    client.socket.pause();
    await once(await accepted, "close");
    client.socket.resume();
    const [response] = await client.untilClosed();
    assert.deepEqual([response?.status, response?.complete], [200, false]);
  },
  { limits: { requestTimeout: enough } },
);

const idleTime = 250;
/** How often the engine looks at its connections until it closes an idle one. */
const sweeps = 2;
const blocked = { begin: () => {} };
testOnWire(
  "a request that arrived while the process was blocked gets its response, also past the idle timeout",
  [
    {
      method: "GET",
      path: "/",
      handler: () => {
        setImmediate(blocked.begin);
        return "ok";
      },
    },
  ],
  async ({ connect }) => {
    const kept = connect();
    let rounds = 0;
    // each round of the event loop is longer than two sweeps: the engine sweeps once after each, whatever the machine does
    blocked.begin = () => {
      blocked.begin = () => {};
      const block = () => {
        rounds++;
        if (rounds === sweeps) kept.send(get);
        else setImmediate(block);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2.2 * idleTime);
      };
      block();
    };
    const responses = await kept.send(get).responses(2);
    assert.deepEqual([rounds, responses.map(({ status }) => status)], [sweeps, [200, 200]]);
  },
  { limits: { keepAlive: idleTime } },
);

testOnWire(
  "a body that is late does not cut the response that is being sent",
  [
    {
      method: "POST",
      path: "/",
      handler: async function* (ctx: Context) {
        yield "waiting ";
        yield await ctx
          .request()
          .body()
          .catch(({ status }: HttpError) => String(status));
        yield " end";
      },
    },
  ],
  async ({ connect }) => {
    const client = connect().send(`POST / HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\na`);
    const [response] = await client.untilClosed();
    assert.deepEqual([response?.body, response?.complete], ["waiting 408 end", true]);
  },
  { limits: { requestTimeout: enough } },
);
