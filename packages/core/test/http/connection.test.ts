import assert from "node:assert/strict";
import { once } from "node:events";
import { mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Context } from "@tenon/core";
import { acceptedSocket } from "../support/accepted-socket.ts";
import { Gate, request } from "../support/gate.ts";
import { until } from "../support/until.ts";
import { testOnWire } from "../support/wire.ts";

const inOrder = new Gate();
testOnWire(
  "pipelined requests get their responses in order, even when the first is the slowest",
  inOrder.routes,
  async (wire) => {
    const client = wire.connect().send(request("/slow") + request("/fast/1") + request("/fast/2"));
    await inOrder.until(1);
    await wire.serveOthers();
    assert.deepEqual([inOrder.handled, client.text], [["slow"], ""]);
    inOrder.open();
    const responses = await client.responses(3);
    assert.deepEqual(
      responses.map((response) => response.body),
      ['"slow"', '"1"', '"2"'],
    );
  },
);

for (const kind of ["at once", "asynchronously"]) {
  const order: string[] = [];
  const busy = (ctx: Context) => {
    for (const end = performance.now() + 1; performance.now() < end; );
    order.push(ctx.param("n"));
    return kind === "at once" ? "done" : Promise.resolve("done");
  };
  testOnWire(
    `requests of others are handled between pipelined ones whose handlers respond ${kind}`,
    [{ method: "GET", path: "/:n", handler: busy }],
    async ({ connect }) => {
      const count = 500;
      const other = connect().send(request("/first"));
      const pipelined = connect().send(request("/first"));
      await Promise.all([other.responses(1), pipelined.responses(1)]);
      pipelined.send(Array.from({ length: count }, (_, n) => request(`/${n}`)).join(""));
      other.send(request("/other"));
      pipelined.socket.end(); // a client that closes its sending side gets all responses, too
      await pipelined.until(({ text }) => text.split("HTTP/1.1 200 ").length > count + 1, "all responses");
      await other.responses(2);
      const numbers = order.filter((n) => n !== "first" && n !== "other");
      assert.deepEqual(
        numbers,
        Array.from({ length: count }, (_, n) => String(n)),
      );
      assert.ok(order.indexOf("other") < count, "the other request was handled last");
    },
  );
}

const many = new Gate();
testOnWire("the heads of pipelined requests are converted to text once", many.routes, async ({ connect }) => {
  const sent = Array.from({ length: 1000 }, (_, n) => request(`/fast/${n}`)).join("");
  const spy = mock.method(Buffer.prototype, "toString");
  try {
    const client = connect().send(sent);
    await client.until(({ text }) => text.split("HTTP/1.1 200 ").length > 1000, "all responses");
    let converted = 0;
    for (const { arguments: list } of spy.mock.calls) {
      const [encoding, start = 0, end = 0] = list as [string?, number?, number?]; // those of Buffer.toString()
      if (encoding === "latin1") converted += Math.max(0, end - start);
    }
    assert.ok(converted < 3 * sent.length, `${converted} bytes were converted for ${sent.length}`);
  } finally {
    spy.mock.restore();
  }
});

const brokenSecond = new Gate();
testOnWire(
  "requests before a malformed one get whole responses, then the connection closes",
  brokenSecond.routes,
  async ({ connect }) => {
    const client = connect().send(`${request("/slow")}BROKEN\r\n\r\n`);
    await brokenSecond.until(1);
    for (let packet = 0; packet < 20; packet++) {
      client.send("more of it\r\n"); // the parser reports another error for each packet
      await turn();
    }
    brokenSecond.open();
    const responses = await client.untilClosed();
    assert.deepEqual(
      responses.map((response) => [response.status, response.headers.get("connection"), response.body]),
      [
        [200, "keep-alive", '"slow"'],
        [400, "close", '{"error":"Bad Request"}'],
      ],
    );
  },
);

const flooded = new Gate();
testOnWire(
  "no response is made for a client that does not read the previous one",
  flooded.routes,
  async ({ connect, serveOthers }) => {
    const accepted = acceptedSocket();
    const client = connect();
    await once(client.socket, "connect");
    client.socket.pause();
    client.send(request("/large").repeat(40));
    const socket = await accepted;
    await until(() => socket.writableLength > 0, "unread response");
    for (let made = 0; made !== flooded.handled.length && made < 20; await serveOthers()) made = flooded.handled.length;
    assert.ok(flooded.handled.length < 20, `${flooded.handled.length} responses of 1 MiB were made`);
    client.socket.resume();
    await client.until(({ text }) => text.length > 40 * 1024 * 1024, "40 responses");
    assert.equal(flooded.handled.length, 40);
  },
);

const tooMany = new Gate();
testOnWire("requests that queue after a slow one are bounded", tooMany.routes, async (wire) => {
  const accepted = acceptedSocket();
  wire.connect().send(request("/slow") + request("/fast/1").repeat(10_000));
  const socket = await accepted;
  await tooMany.until(1);
  // the rest stays with the client and with the system
  await until(() => socket.isPaused() || socket.bytesRead >= 300_000, "pause");
  await wire.serveOthers();
  assert.ok(socket.bytesRead < 300_000, `${socket.bytesRead} bytes were read`);
  tooMany.open();
  await tooMany.until(10_001);
});

const brokenWaiting = new Gate();
testOnWire("a queued request with a malformed body is 400 in its turn", brokenWaiting.routes, async ({ connect }) => {
  const body = "POST /body HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcX";
  const client = connect().send(request("/slow") + request("/fast/1") + body);
  await brokenWaiting.until(1);
  await turn();
  brokenWaiting.open();
  const responses = await client.untilClosed();
  assert.deepEqual(
    responses.map((response) => [response.status, response.headers.get("connection")]),
    [
      [200, "keep-alive"],
      [200, "keep-alive"],
      [400, "close"],
    ],
  );
});

const goneWaiting = new Gate();
testOnWire("queued requests of a client that left are not handled", goneWaiting.routes, async (wire) => {
  const accepted = acceptedSocket();
  const client = wire.connect().send(request("/slow") + request("/fast/1").repeat(5));
  await goneWaiting.until(1);
  const socket = await accepted;
  client.socket.resetAndDestroy();
  await new Promise((resolve) => socket.once("close", resolve));
  goneWaiting.open();
  await wire.serveOthers();
  assert.deepEqual(goneWaiting.handled, ["slow"]);
});
