import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { type Context, HttpError } from "@tenon/core";
import { acceptedSocket } from "../support/accepted-socket.ts";
import { connectionsOf } from "../support/connections.ts";
import { until } from "../support/until.ts";
import { RawClient, testOnWire, type WireResponse } from "../support/wire.ts";

const mebibyte = 1024 * 1024;
const host = "Host: localhost\r\n";
const get = `GET / HTTP/1.1\r\n${host}\r\n`;

const late = Promise.withResolvers<void>();
const lateGuard = Promise.withResolvers<void>();
const routes = [
  { method: "GET" as const, path: "/", handler: () => "ok" },
  {
    method: "POST" as const,
    path: "/late",
    handler: async (ctx: Context) => {
      await late.promise;
      return new TextDecoder().decode(await ctx.request().body());
    },
  },
  {
    method: "POST" as const,
    path: "/late-guard",
    handler: () => "never",
    middlewares: [
      async () => {
        await lateGuard.promise;
        throw new HttpError(401, "Missing authorization header");
      },
    ],
  },
  {
    method: "POST" as const,
    path: "/size",
    handler: async (ctx: Context) => ({ size: (await ctx.request().body()).byteLength }),
  },
  {
    method: "POST" as const,
    path: "/small",
    handler: async (ctx: Context) => {
      ctx.limitBody(10);
      return { size: (await ctx.request().body()).byteLength };
    },
  },
  {
    method: "POST" as const,
    path: "/guarded",
    handler: async (ctx: Context) => ({ size: (await ctx.request().body()).byteLength }),
    middlewares: [
      () => {
        throw new HttpError(401, "Missing authorization header");
      },
    ],
  },
];

const declared = (path: string, length: number, headers = "") =>
  `POST ${path} HTTP/1.1\r\n${host}Content-Length: ${length}\r\n${headers}\r\n`;
const chunked = (path: string) => `POST ${path} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`;
const chunk = (bytes: string) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`;

testOnWire("a body over only the route's own limit keeps the connection open", routes, async ({ connect }) => {
  const responses = await connect()
    .send(`${declared("/small", 11)}${"a".repeat(11)}${get}`)
    .responses(2);
  assert.deepEqual(
    responses.map((response) => response.status),
    [413, 200],
  );
});

/** Writes everything before it reads anything, as simple clients do. */
async function sendBlindly(client: RawClient, head: string, body: Buffer): Promise<WireResponse[]> {
  client.socket.pause();
  client.socket.write(head);
  client.socket.write(body);
  if (client.socket.writableLength > 0) await once(client.socket, "drain");
  client.socket.resume();
  return client.untilClosed();
}

for (const [size, rounds] of [
  [5, 10],
  [32, 1], // larger than the socket buffers of both systems: the client finishes only when the rest is read
] as const) {
  testOnWire(`a client that first sends all of its ${size} MiB gets the whole 413, each time`, routes, async (wire) => {
    const bytes = "a".repeat(size * mebibyte);
    for (const [head, body] of [
      [declared("/size", bytes.length), Buffer.from(bytes)],
      [chunked("/size"), Buffer.from(chunk(bytes))],
    ] as const) {
      for (let round = 0; round < rounds; round++) {
        const client = wire.connect();
        const responses = await sendBlindly(client, head, body);
        assert.deepEqual(
          [responses.map(({ status, complete }) => [status, complete]), client.reset],
          [[[413, true]], false],
        );
      }
    }
  });
}

testOnWire("a client that keeps sending after a malformed head gets the 400", routes, async ({ connect }) => {
  for (let round = 0; round < 10; round++) {
    const client = connect();
    const responses = await sendBlindly(client, "POST / HTTP/1.1\r\n bad\r\n\r\n", Buffer.alloc(5 * mebibyte, "a"));
    assert.deepEqual([responses.map((response) => response.status), client.reset], [[400], false]);
  }
});

testOnWire(
  "a guard's 401 does not wait for the body, and closes on a client that never stops sending",
  routes,
  async ({ port }) => {
    const client = new RawClient(port, { stubborn: true }).send(declared("/guarded", 1024 ** 4));
    const flood = setInterval(() => client.socket.write(Buffer.alloc(65_536)), 2);
    try {
      const [response] = await client.responses(1);
      assert.deepEqual([response?.status, response?.headers.get("connection")], [401, "close"]);
      await client.until(({ closed }) => closed, "end");
    } finally {
      clearInterval(flood);
      client.socket.destroy();
    }
  },
  { limits: { requestTimeout: 1500 } },
);

testOnWire("a client that first sends its whole body gets a late refusal", routes, async (wire) => {
  const bytes = Buffer.alloc(32 * mebibyte, "a");
  const accepted = acceptedSocket();
  const client = wire.connect();
  const sent = sendBlindly(client, declared("/late-guard", bytes.length), bytes);
  const socket = await accepted;
  await until(() => socket.isPaused(), "body that fills the buffer");
  lateGuard.resolve();
  const responses = await sent;
  assert.deepEqual([responses.map((response) => response.status), client.reset], [[401], false]);
});

testOnWire("a body is read whether it arrives before or after the handler reads it", routes, async (wire) => {
  /** Returns when the server has received the bytes. */
  const sendUnread = async (bytes: string) => {
    const accepted = acceptedSocket();
    const client = wire.connect().send(bytes);
    const socket = await accepted;
    await until(() => socket.bytesRead === bytes.length, "received bytes");
    return client;
  };
  const whole = await sendUnread(`${declared("/late", 5)}hello${get}`);
  const halved = await sendUnread(`${declared("/late", 11)}hello`);
  const inChunks = await sendUnread(chunked("/late") + chunk("hello") + chunk(" world"));
  late.resolve();
  await wire.serveOthers(); // the handlers wait for the rest
  halved.send(` world${get}`);
  inChunks.send(`0\r\n\r\n${get}`);
  for (const [client, body] of [
    [whole, "hello"],
    [halved, "hello world"],
    [inChunks, "hello world"],
  ] as const) {
    const responses = await client.responses(2);
    assert.deepEqual(
      responses.map((response) => response.body),
      [`"${body}"`, '"ok"'],
    );
  }
});

testOnWire("a body within the limit gets 100, then the response", routes, async ({ connect }) => {
  const client = connect().send(declared("/size", 5, "Expect: 100-Continue\r\n"));
  await client.until(({ text }) => text.startsWith("HTTP/1.1 100 Continue\r\n\r\n"), "100");
  const responses = await client.send(`hello${get}`).responses(3);
  assert.deepEqual(
    responses.map((response) => [response.status, response.body]),
    [
      [100, ""],
      [200, '{"size":5}'],
      [200, '"ok"'],
    ],
  );
});

testOnWire(
  "a body that does not arrive in time is 408, and the connection closes",
  routes,
  async ({ untilClosed }) => {
    const responses = await untilClosed(`${declared("/size", 10)}hello`);
    assert.deepEqual(
      responses.map((response) => [response.status, response.headers.get("connection")]),
      [[408, "close"]],
    );
  },
  { limits: { bodyTimeout: 30 } },
);

testOnWire("a head that ends early is 400", routes, async ({ connect }) => {
  const client = connect().send("GET / HTTP/1.1\r\nHo");
  client.socket.end();
  const responses = await client.untilClosed();
  assert.deepEqual(
    responses.map((response) => response.status),
    [400],
  );
});

testOnWire(
  "a body that is malformed or cut off after its response closes the connection without another",
  [{ method: "POST", path: "/unread", handler: () => "unread" }],
  async ({ connect }) => {
    const malformed = connect().send(chunked("/unread"));
    const cutOff = connect().send(`${declared("/unread", 10)}hello`);
    await Promise.all([malformed.responses(1), cutOff.responses(1)]);
    malformed.send("no length\r\n");
    cutOff.socket.end();
    for (const client of [malformed, cutOff]) {
      const responses = await client.untilClosed();
      assert.deepEqual(
        responses.map((response) => response.status),
        [200],
      );
    }
  },
);

const atWork = Promise.withResolvers<void>();
const lateReader = Promise.withResolvers<unknown>();
testOnWire(
  "a handler that reads a body after the client left gets no part of it",
  [
    {
      method: "POST",
      path: "/",
      handler: async (ctx: Context) => {
        const left = once(ctx.signal, "abort");
        atWork.resolve();
        await left;
        ctx.request().body().then(lateReader.resolve, lateReader.resolve);
      },
    },
  ],
  async ({ connect }) => {
    const client = connect().send(`${declared("/", 10)}hello`);
    await atWork.promise;
    client.socket.resetAndDestroy();
    const outcome = await lateReader.promise;
    assert.ok(outcome instanceof HttpError, String(outcome));
    assert.equal(outcome.status, 400);
  },
);

/** Connects, sends and closes before the server, which runs in the waiting process, has accepted. */
const hitAndRun = `
  const socket = require("node:net").connect(Number(process.argv[1]), "127.0.0.1", () => {
    socket.write("GET /address HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n", () => socket.resetAndDestroy());
  });
`;
const gone = Promise.withResolvers<string>();
testOnWire(
  "a client that left before it was accepted has no address, and its request is handled",
  [{ method: "GET", path: "/address", handler: (ctx: Context) => gone.resolve(ctx.request().address()) }],
  async ({ port, log }) => {
    execFileSync(process.execPath, ["--eval", hitAndRun, String(port)], { timeout: 240_000 });
    assert.equal(await gone.promise, "");
    assert.deepEqual(log.messages("error"), []);
  },
);

testOnWire(
  "no 100 is sent after the response has begun",
  [
    {
      method: "POST",
      path: "/",
      handler: async function* (ctx: Context) {
        yield "first ";
        yield String((await ctx.request().body()).byteLength);
      },
    },
  ],
  async ({ connect }) => {
    const client = connect().send(declared("/", 3, "Expect: 100-continue\r\n"));
    await client.until(({ text }) => text.includes("first"), "first chunk");
    const [response] = await client.send("abc").untilClosed();
    assert.deepEqual([response?.status, response?.body], [200, "first 3"]);
  },
);

const unreadYet = Promise.withResolvers<void>();
testOnWire(
  "a body in very many small chunks is not stored before it is read",
  [
    {
      method: "POST",
      path: "/",
      handler: async (ctx: Context) => {
        await unreadYet.promise;
        return (await ctx.request().body()).byteLength;
      },
    },
  ],
  async ({ connect, serveOthers }) => {
    const accepted = acceptedSocket();
    const client = connect();
    client.send(chunked("/")).send(`1;${"a".repeat(4000)}\r\nx\r\n`.repeat(5000));
    const socket = await accepted;
    await until(() => socket.isPaused() || socket.bytesRead >= 4 * mebibyte, "pause");
    await serveOthers();
    assert.ok(socket.bytesRead < 4 * mebibyte, `${socket.bytesRead} bytes were read`);
    unreadYet.resolve();
    client.send("0\r\n\r\n");
    const [response] = await client.responses(1);
    assert.equal(response?.body, "5000");
  },
);

const leaving = {
  started: Promise.withResolvers<void>(),
  go: Promise.withResolvers<void>(),
  aborted: Promise.withResolvers<boolean>(),
};
testOnWire(
  "ctx.signal that is first read after the client has left is aborted",
  [
    {
      method: "GET",
      path: "/late",
      handler: async (ctx: Context) => {
        leaving.started.resolve();
        await leaving.go.promise;
        leaving.aborted.resolve(ctx.signal.aborted);
      },
    },
  ],
  async ({ connect, app }) => {
    const client = connect().send("GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await leaving.started.promise;
    client.socket.resetAndDestroy(); // a client that only ends its side may still read
    await until(async () => (await connectionsOf(app)) === 0, "closed connection");
    leaving.go.resolve();
    assert.equal(await leaving.aborted.promise, true);
  },
  { middlewares: [] },
);
