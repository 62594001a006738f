import assert from "node:assert/strict";
import { once } from "node:events";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { Gate, request } from "../support/gate.ts";
import { testOnWire } from "../support/wire.ts";

const inOrder = new Gate();
testOnWire(
  "answers pipelined requests in their order though the first is the slowest",
  inOrder.routes,
  async (wire) => {
    const client = wire.connect().send(request("/slow") + request("/fast/1") + request("/fast/2"));
    await inOrder.until(1);
    await wait(20);
    assert.deepEqual([inOrder.handled, client.text], [["slow"], ""]);
    inOrder.open();
    const replies = await client.replies(3);
    assert.deepEqual(
      replies.map((reply) => reply.body),
      ['"slow"', '"1"', '"2"'],
    );
  },
);

const refusedFirst = new Gate();
testOnWire("handles nothing behind a refused request, and closes", refusedFirst.routes, async ({ untilClosed }) => {
  const replies = await untilClosed(request("/fast/1", "Host: localhost\r\n") + request("/fast/2"));
  assert.deepEqual(
    replies.map((reply) => [reply.status, reply.headers.get("connection")]),
    [[400, "close"]],
  );
  assert.deepEqual(refusedFirst.handled, []);
});

const refusedSecond = new Gate();
testOnWire("answers what came before a refused request first", refusedSecond.routes, async ({ connect }) => {
  const client = connect().send(request("/slow") + request("/fast/1", "Host: localhost\r\n") + request("/fast/2"));
  await refusedSecond.until(1);
  await turn();
  refusedSecond.open();
  const replies = await client.untilClosed();
  assert.deepEqual(
    replies.map((reply) => [reply.status, reply.headers.get("connection"), reply.body]),
    [
      [200, "keep-alive", '"slow"'],
      [400, "close", '{"error":"Bad Request"}'],
    ],
  );
  assert.deepEqual(refusedSecond.handled, ["slow"]);
});

const brokenSecond = new Gate();
testOnWire("answers what came before a broken request whole, then closes", brokenSecond.routes, async ({ connect }) => {
  const client = connect().send(`${request("/slow")}BROKEN\r\n\r\n`);
  await brokenSecond.until(1);
  for (let packet = 0; packet < 20; packet++) {
    client.send("more of it\r\n"); // each packet is another error of the parser
    await turn();
  }
  brokenSecond.open();
  const replies = await client.untilClosed();
  assert.deepEqual(
    replies.map((reply) => [reply.status, reply.headers.get("connection"), reply.body]),
    [[200, "close", '"slow"']],
  );
});

testOnWire("does not let bytes behind a body break it", new Gate().routes, async ({ untilClosed }) => {
  const replies = await untilClosed(
    "POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhelloBROKEN\r\n\r\n",
  );
  assert.deepEqual(
    replies.map((reply) => [reply.status, reply.body]),
    [[200, "5"]],
  );
});

const closedByClient = new Gate();
testOnWire("handles nothing behind a request that closes", closedByClient.routes, async ({ untilClosed }) => {
  const replies = await untilClosed(request("/fast/1", "Connection: close\r\n") + request("/fast/2"));
  assert.deepEqual(
    replies.map((reply) => [reply.body, reply.headers.get("connection")]),
    [['"1"', "close"]],
  );
  assert.deepEqual(closedByClient.handled, ["1"]);
});

const flooded = new Gate();
testOnWire("makes no reply for a client that does not read the one before", flooded.routes, async ({ connect }) => {
  const client = connect();
  await once(client.socket, "connect");
  client.socket.pause();
  client.send(request("/large").repeat(40)); // in one packet: node hands them over without a pause
  await flooded.until(1);
  await wait(100);
  assert.ok(flooded.handled.length < 20, `${flooded.handled.length} replies of 1 MiB were made`);
  client.socket.resume();
  await client.until(({ text }) => text.length > 40 * 1024 * 1024, "40 replies");
  assert.equal(flooded.handled.length, 40);
});

const tooMany = new Gate();
testOnWire("answers 1,000 requests that wait behind a slow one, and closes on more", tooMany.routes, async (wire) => {
  const client = wire.connect().send(request("/slow") + request("/fast/1").repeat(1500));
  await tooMany.until(1);
  tooMany.open();
  await client.until(({ closed }) => closed, "end");
  assert.equal(tooMany.handled.length, 1001);
  assert.equal(client.text.split("Connection: keep-alive").length - 1, 1000);
  assert.equal(client.text.split("connection: close").length - 1, 1);
});

const brokenWaiting = new Gate();
testOnWire("answers a waiting request with a broken body at once", brokenWaiting.routes, async ({ connect }) => {
  const body = "POST /body HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcX";
  const client = connect().send(request("/slow") + request("/fast/1") + body);
  await brokenWaiting.until(1);
  await turn();
  brokenWaiting.open();
  const replies = await client.untilClosed();
  assert.deepEqual(
    replies.map((reply) => [reply.status, reply.headers.get("connection")]),
    [
      [200, "keep-alive"],
      [200, "keep-alive"],
      [400, "close"],
    ],
  );
});

const goneWaiting = new Gate();
testOnWire("handles nothing for a client that left while its requests waited", goneWaiting.routes, async (wire) => {
  const client = wire.connect().send(request("/slow") + request("/fast/1").repeat(5));
  await goneWaiting.until(1);
  client.socket.resetAndDestroy();
  await wait(20);
  goneWaiting.open();
  await wait(20);
  assert.deepEqual(goneWaiting.handled, ["slow"]);
});
