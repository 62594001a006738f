import assert from "node:assert/strict";
import { once } from "node:events";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { acceptedSocket } from "../support/accepted-socket.ts";
import { Gate, request } from "../support/gate.ts";
import { until } from "../support/until.ts";
import { engine, testOnWire } from "../support/wire.ts";

const inOrder = new Gate();
testOnWire(
  "pipelined requests get their responses in order, even when the first is the slowest",
  inOrder.routes,
  async (wire) => {
    const client = wire.connect().send(request("/slow") + request("/fast/1") + request("/fast/2"));
    await inOrder.until(1);
    await wait(20);
    assert.deepEqual([inOrder.handled, client.text], [["slow"], ""]);
    inOrder.open();
    const responses = await client.responses(3);
    assert.deepEqual(
      responses.map((response) => response.body),
      ['"slow"', '"1"', '"2"'],
    );
  },
);

const refusedFirst = new Gate();
testOnWire(
  "nothing is handled after a refused request, and the connection closes",
  refusedFirst.routes,
  async ({ untilClosed }) => {
    const responses = await untilClosed(request("/fast/1", "Host: localhost\r\n") + request("/fast/2"));
    assert.deepEqual(
      responses.map((response) => [response.status, response.headers.get("connection")]),
      [[400, "close"]],
    );
    assert.deepEqual(refusedFirst.handled, []);
  },
);

const refusedSecond = new Gate();
testOnWire("requests before a refused one get their responses first", refusedSecond.routes, async ({ connect }) => {
  const client = connect().send(request("/slow") + request("/fast/1", "Host: localhost\r\n") + request("/fast/2"));
  await refusedSecond.until(1);
  await turn();
  refusedSecond.open();
  const responses = await client.untilClosed();
  assert.deepEqual(
    responses.map((response) => [response.status, response.headers.get("connection"), response.body]),
    [
      [200, "keep-alive", '"slow"'],
      [400, "close", '{"error":"Bad Request"}'],
    ],
  );
  assert.deepEqual(refusedSecond.handled, ["slow"]);
});

/** The parser of node:http has read what follows a request before it is handled, the wire engine has not. */
const readsAhead = engine === "node";
const refused = [400, "close", '{"error":"Bad Request"}'];
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
      readsAhead ? [[200, "close", '"slow"']] : [[200, "keep-alive", '"slow"'], refused],
    );
  },
);

testOnWire("bytes after a body do not break it", new Gate().routes, async ({ untilClosed }) => {
  const responses = await untilClosed(
    "POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhelloBROKEN\r\n\r\n",
  );
  assert.deepEqual(
    responses.map((response) => [response.status, response.headers.get("connection"), response.body]),
    readsAhead ? [[200, "close", "5"]] : [[200, "keep-alive", "5"], refused],
  );
});

const closedByClient = new Gate();
testOnWire(
  "nothing is handled after a request with Connection: close",
  closedByClient.routes,
  async ({ untilClosed }) => {
    const responses = await untilClosed(request("/fast/1", "Connection: close\r\n") + request("/fast/2"));
    assert.deepEqual(
      responses.map((response) => [response.body, response.headers.get("connection")]),
      [['"1"', "close"]],
    );
    assert.deepEqual(closedByClient.handled, ["1"]);
  },
);

const flooded = new Gate();
testOnWire(
  "no response is made for a client that does not read the previous one",
  flooded.routes,
  async ({ connect }) => {
    const client = connect();
    await once(client.socket, "connect");
    client.socket.pause();
    client.send(request("/large").repeat(40)); // in one packet: node passes them on without a pause
    await flooded.until(1);
    await wait(100);
    assert.ok(flooded.handled.length < 20, `${flooded.handled.length} responses of 1 MiB were made`);
    client.socket.resume();
    await client.until(({ text }) => text.length > 40 * 1024 * 1024, "40 responses");
    assert.equal(flooded.handled.length, 40);
  },
);

const tooMany = new Gate();
testOnWire("requests that queue after a slow one are bounded", tooMany.routes, async (wire) => {
  const accepted = acceptedSocket();
  const client = wire.connect().send(request("/slow") + request("/fast/1").repeat(10_000));
  const socket = await accepted;
  await tooMany.until(1);
  if (engine === "wire") {
    await until(() => socket.isPaused(), "pause"); // the rest stays with the client and with the system
    await wait(50);
    assert.ok(socket.bytesRead < 300_000, `${socket.bytesRead} bytes were read`);
    tooMany.open();
    await tooMany.until(10_001);
    return;
  }
  tooMany.open();
  await client.until(({ closed }) => closed, "end");
  assert.equal(tooMany.handled.length, 1001);
  assert.equal(client.text.split("Connection: keep-alive").length - 1, 1000);
  assert.equal(client.text.split("connection: close").length - 1, 1);
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
  await wait(20);
  assert.deepEqual(goneWaiting.handled, ["slow"]);
});
