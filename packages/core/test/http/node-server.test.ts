import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "@tenon/core";
import { RawClient, testOnWire } from "../support/wire.ts";

const host = "Host: localhost\r\n";
const get = `GET / HTTP/1.1\r\n${host}\r\n`;
const slow = { method: "GET" as const, path: "/slow", handler: async () => wait(150, "slow") };
const routes = [
  { method: "GET" as const, path: "/", handler: () => "ok" },
  slow,
  { method: "POST" as const, path: "/", handler: async (ctx: Context) => (await ctx.request().body()).length },
  { method: "POST" as const, path: "/unread", handler: () => "unread" },
  { method: "GET" as const, path: "/large", handler: () => Buffer.alloc(16 * 1024 * 1024) },
];

const brief = { headerTimeout: 60, requestTimeout: 120, keepAlive: 50 };

testOnWire(
  "closes a connection that sends nothing, and one that sends its head too slowly",
  routes,
  async ({ connect }) => {
    const [silent] = await connect().untilClosed();
    assert.equal(silent?.status, 408);
    const client = connect().send("GET / HTTP/1.1\r\n");
    const drip = setInterval(() => client.socket.write("X-A: b\r\n"), 10);
    try {
      await client.until(({ closed }) => closed, "end");
    } finally {
      clearInterval(drip);
    }
    assert.match(client.text, /^HTTP\/1\.1 408 /);
  },
  { limits: brief },
);

testOnWire(
  "closes a connection that keeps itself awake with blank lines between requests",
  routes,
  async ({ connect }) => {
    const client = connect().send(get);
    await client.replies(1);
    const drip = setInterval(() => client.socket.write("\r\n"), 10);
    try {
      await client.until(({ closed }) => closed, "end");
    } finally {
      clearInterval(drip);
    }
    assert.equal(client.text.match(/^HTTP/gm)?.length, 1);
  },
  { limits: { ...brief, requestTimeout: 60_000, headerTimeout: 60_000 } },
);

testOnWire(
  "answers 408 when the whole request takes too long, though its body drips",
  routes,
  async ({ connect }) => {
    const client = connect().send(`POST / HTTP/1.1\r\n${host}Content-Length: 100000\r\n\r\n`);
    const drip = setInterval(() => client.socket.write("a"), 10);
    try {
      const replies = await client.untilClosed();
      assert.deepEqual(
        replies.map((reply) => [reply.status, reply.headers.get("connection")]),
        [[408, "close"]],
      );
    } finally {
      clearInterval(drip);
    }
  },
  { limits: { ...brief, bodyTimeout: 10_000 } },
);

/** Sends a byte every ten milliseconds until the server has closed the connection, and keeps its own side open. */
async function dripUntilClosed(port: number, head: string, byte: string): Promise<string> {
  const client = new RawClient(port, { stubborn: true }).send(head);
  const drip = setInterval(() => client.socket.write(byte), 10);
  try {
    await client.until(({ closed }) => closed, "end");
    return client.text;
  } finally {
    clearInterval(drip);
    client.socket.destroy();
  }
}

testOnWire(
  "does not keep a client that drips bytes after its header timeout",
  routes,
  async ({ port }) => {
    assert.match(await dripUntilClosed(port, "GET / HTTP/1.1\r\n", "X"), /^HTTP\/1\.1 408 /);
  },
  { limits: { headerTimeout: 60, requestTimeout: 600_000 } },
);

testOnWire(
  "does not keep a client that drips bytes after its body timeout, whatever the handler makes of it",
  [
    ...routes,
    {
      method: "POST",
      path: "/hide",
      handler: (ctx: Context) =>
        ctx
          .request()
          .body()
          .catch(() => ctx.status(500).json("hidden")),
    },
  ],
  async ({ port }) => {
    for (const [path, status] of Object.entries({ "/": 408, "/hide": 500 })) {
      const head = `POST ${path} HTTP/1.1\r\n${host}Content-Length: 100000\r\n\r\n`;
      assert.match(await dripUntilClosed(port, head, "a"), new RegExp(`^HTTP/1\\.1 ${status} `));
    }
  },
  { limits: { bodyTimeout: 60, requestTimeout: 600_000, keepAlive: 600_000 } },
);

testOnWire(
  "says nothing more to a client whose answered request never ends",
  routes,
  async ({ connect }) => {
    const client = connect().send(`POST /unread HTTP/1.1\r\n${host}Content-Length: 10\r\n\r\n`);
    const replies = await client.untilClosed();
    assert.deepEqual(
      replies.map((reply) => reply.status),
      [200],
    );
  },
  { limits: { ...brief, keepAlive: 1000 } },
);

testOnWire(
  "closes a kept connection that stays idle, and not one whose request is at work",
  routes,
  async ({ connect }) => {
    const idle = await connect().send(get).untilClosed();
    assert.deepEqual(
      idle.map((reply) => [reply.status, reply.headers.get("connection")]),
      [[200, "keep-alive"]],
    );
    const [reply] = await connect().send(`GET /slow HTTP/1.1\r\n${host}\r\n`).replies(1);
    assert.equal(reply?.body, '"slow"');
  },
  { limits: { ...brief, keepAlive: 1 } },
);

testOnWire(
  "cuts off a client that leaves a large reply unread",
  routes,
  async ({ port }) => {
    const client = new RawClient(port).send(`GET /large HTTP/1.1\r\n${host}\r\n`);
    client.socket.pause();
    await wait(600);
    client.socket.resume();
    const [reply] = await client.untilClosed();
    assert.deepEqual([reply?.status, reply?.complete], [200, false]);
  },
  { limits: brief },
);

testOnWire("accepts the requests of 200 clients while 200 others say nothing", routes, async ({ port }) => {
  const silent = Array.from({ length: 200 }, () => new RawClient(port));
  const clients = Array.from({ length: 200 }, () => new RawClient(port).send(get));
  try {
    const replies = await Promise.all(clients.map((client) => client.replies(1)));
    assert.ok(replies.every(([reply]) => reply?.status === 200));
  } finally {
    for (const client of [...silent, ...clients]) client.socket.destroy();
  }
});
