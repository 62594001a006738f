import assert from "node:assert/strict";
import { once } from "node:events";
import type { Context } from "@tenon/core";
import { acceptedSocket } from "../support/accepted-socket.ts";
import { Gate, request } from "../support/gate.ts";
import { until } from "../support/until.ts";
import { testOnWire } from "../support/wire.ts";

const large = 16 * 1024 * 1024;

const halfClosedPipeline = new Gate();
testOnWire(
  "a half-closed client gets the responses to all its pipelined requests",
  halfClosedPipeline.routes,
  async ({ connect }) => {
    const accepted = acceptedSocket();
    const client = connect().send(request("/slow") + request("/fast/1") + request("/large"));
    client.socket.end();
    await halfClosedPipeline.until(1);
    const socket = await accepted;
    await until(() => socket.readableEnded, "end of the requests");
    halfClosedPipeline.open();
    const responses = await client.untilClosed();
    assert.deepEqual(
      responses.map((response) => response.body.length),
      ['"slow"'.length, '"1"'.length, 1024 * 1024 + 2],
    );
  },
);

const goneHalf = new Gate();
testOnWire(
  "a half-closed connection that stays idle is closed",
  goneHalf.routes,
  async ({ connect }) => {
    const client = connect().send(request("/slow"));
    client.socket.end();
    await client.untilClosed();
    assert.equal(client.text, "");
    goneHalf.open();
  },
  { limits: { requestTimeout: 1500 } },
);

/** Bodies larger than the socket buffers of both systems. */
const largeBodies = [
  // the time of a request that is handled, and that of a client that must read
  { kind: "a large response", makeBody: () => Buffer.alloc(large), timeout: 30_000 },
  {
    kind: "a stream that stalls",
    makeBody: async function* () {
      yield Buffer.alloc(large);
      await new Promise(() => {});
    },
    timeout: 15_000,
  },
];
for (const { kind, makeBody, timeout } of largeBodies) {
  testOnWire(
    `a half-closed connection is closed when nothing follows ${kind}`,
    [
      {
        method: "GET",
        path: "/",
        handler: async (ctx: Context) => {
          await once(ctx.signal, "abort");
          return makeBody();
        },
      },
      { method: "GET", path: "/never", handler: () => new Promise(() => {}) },
    ],
    async ({ connect, serveOthers }) => {
      const accepted = acceptedSocket();
      const client = connect().send(request("/") + request("/never"));
      client.socket.end();
      const socket = await accepted;
      await client.until(({ text }) => text.length > large, "whole body");
      await serveOthers();
      assert.deepEqual([socket.writableLength, socket.timeout], [0, timeout]);
      socket.emit("timeout"); // without the wait: the client read the body while a shorter one ran
      const responses = await client.untilClosed();
      assert.deepEqual(
        responses.map(({ status, body }) => [status, body.length]),
        [[200, large]],
      );
    },
    { limits: { requestTimeout: 30_000 } },
  );
}

testOnWire("an Upgrade whose body is cut off is 400, like any other request", new Gate().routes, async (wire) => {
  const upgrade = "Connection: Upgrade\r\nUpgrade: h2c\r\n";
  const post = (rest: string) => `POST /body HTTP/1.1\r\nHost: localhost\r\n${rest}`;
  for (const rest of [
    "Content-Length: 5\r\n\r\n",
    "Content-Length: 5\r\n\r\nhell",
    "Transfer-Encoding: chunked\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    "Transfer-Encoding: chunked\r\n\r\nno length\r\n",
  ]) {
    const [plain, upgraded, pipelined] = await Promise.all(
      [post(rest), post(upgrade + rest), request("/fast/1") + post(upgrade + rest)].map(async (bytes) => {
        const client = wire.connect().send(bytes);
        client.socket.end();
        return (await client.untilClosed()).map((response) => [
          response.status,
          response.headers.get("connection"),
          response.body,
        ]);
      }),
    );
    assert.deepEqual(plain, [[400, "close", '{"error":"Bad Request"}']], rest);
    assert.deepEqual(upgraded, plain, rest);
    assert.deepEqual(pipelined?.slice(1), plain, rest);
  }
});
