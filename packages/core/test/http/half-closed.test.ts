import assert from "node:assert/strict";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "@tenon/core";
import { Gate, request } from "../support/gate.ts";
import { testOnWire } from "../support/wire.ts";

const large = 16 * 1024 * 1024;

const halfClosed = new Gate();
testOnWire(
  "answers a client that closed its sending side after the request",
  halfClosed.routes,
  async ({ connect }) => {
    const client = connect().send(request("/slow"));
    client.socket.end();
    await halfClosed.until(1);
    await wait(20);
    halfClosed.open();
    const replies = await client.untilClosed();
    assert.deepEqual(
      replies.map((reply) => [reply.status, reply.body]),
      [[200, '"slow"']],
    );
  },
);

const halfClosedPipeline = new Gate();
testOnWire("answers all that a half-closed client had asked for", halfClosedPipeline.routes, async ({ connect }) => {
  const client = connect().send(request("/slow") + request("/fast/1") + request("/large"));
  client.socket.end();
  await halfClosedPipeline.until(1);
  await wait(20);
  halfClosedPipeline.open();
  const replies = await client.untilClosed();
  assert.deepEqual(
    replies.map((reply) => reply.body.length),
    ['"slow"'.length, '"1"'.length, 1024 * 1024 + 2],
  );
});

const goneHalf = new Gate();
testOnWire(
  "gives up a half-closed connection on which nothing happens any more",
  goneHalf.routes,
  async ({ connect }) => {
    const client = connect().send(request("/slow"));
    client.socket.end();
    await client.untilClosed();
    assert.equal(client.text, "");
    goneHalf.open();
  },
  { limits: { requestTimeout: 40 } },
);

/** Answers, when the client has said its last word, with more than the systems on both sides keep. */
const largeReplies = {
  "a large reply": () => Buffer.alloc(large),
  "a stream that fell silent": async function* () {
    yield Buffer.alloc(large);
    await new Promise(() => {});
  },
};
for (const [kind, reply] of Object.entries(largeReplies)) {
  testOnWire(
    `gives up a half-closed connection on which nothing comes after ${kind}`,
    [
      {
        method: "GET",
        path: "/",
        handler: async (ctx: Context) => {
          await once(ctx.signal, "abort");
          return reply();
        },
      },
      { method: "GET", path: "/never", handler: () => new Promise(() => {}) },
    ],
    async ({ connect }) => {
      const client = connect().send(request("/") + request("/never"));
      client.socket.end();
      const replies = await client.untilClosed();
      assert.deepEqual(
        replies.map(({ status, body }) => [status, body.length]),
        [[200, large]],
      );
    },
    { limits: { requestTimeout: 1500 } }, // longer than a busy machine keeps this process from reading
  );
}

testOnWire(
  "answers an Upgrade that nobody listens for as plain HTTP, also with a body, and closes",
  new Gate().routes,
  async (wire) => {
    const socket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    const h2c = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n";
    for (const upgrade of [socket, h2c]) {
      const body = `POST /body HTTP/1.1\r\nHost: localhost\r\n${upgrade}Content-Length: 5\r\n\r\nhello`;
      for (const [bytes, answer] of [
        [request("/fast/1", upgrade), '"1"'],
        [body, "5"],
      ] as const) {
        const replies = await wire.untilClosed(bytes);
        assert.deepEqual(
          replies.map((reply) => [reply.status, reply.headers.get("connection"), reply.body]),
          [[200, "close", answer]],
        );
      }
    }
  },
);

testOnWire(
  "answers an Upgrade whose body was cut off with 400, like any other request",
  new Gate().routes,
  async (wire) => {
    const upgrade = "Connection: Upgrade\r\nUpgrade: h2c\r\n";
    const post = (rest: string) => `POST /body HTTP/1.1\r\nHost: localhost\r\n${rest}`;
    for (const rest of [
      "Content-Length: 5\r\n\r\n",
      "Content-Length: 5\r\n\r\nhell",
      "Transfer-Encoding: chunked\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
      "Transfer-Encoding: chunked\r\n\r\nno length\r\n",
    ]) {
      const [plain, upgraded, behind] = await Promise.all(
        [post(rest), post(upgrade + rest), request("/fast/1") + post(upgrade + rest)].map(async (bytes) => {
          const client = wire.connect().send(bytes);
          client.socket.end();
          return (await client.untilClosed()).map((reply) => [
            reply.status,
            reply.headers.get("connection"),
            reply.body,
          ]);
        }),
      );
      assert.deepEqual(plain, [[400, "close", '{"error":"Bad Request"}']], rest);
      assert.deepEqual(upgraded, plain, rest);
      assert.deepEqual(behind?.slice(1), plain, rest);
    }
  },
);
