import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { dto, type Routes, string } from "@tenon/core";
import { LiveConnections, socket } from "@tenon/live";
import { acceptedSocket } from "../../core/test/support/accepted-socket.ts";
import { until } from "../../core/test/support/until.ts";
import { withLiveApp } from "./support/live-app.ts";
import { SocketClient } from "./support/socket-client.ts";

const Say = dto({ text: string("required") });

class Echo {
  routes(): Routes {
    return [{ method: "GET", path: "/", handler: this.echo }];
  }

  readonly echo = socket(
    { receives: { say: Say }, sends: { said: Say }, limits: { messageBytes: 1000 } },
    { on: { say: (_, live, data) => live.send("said", data) } },
  );
}

const handshake =
  "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/** A masked frame. `first` has the opcode and the flags. */
function frame(first: number, payload: Buffer, length = payload.length): Buffer {
  const head = length < 126 ? [first, 0x80 | length] : [first, 0xfe, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload]); // a mask of zeros changes nothing
}

/** Sends bytes after the handshake, and returns the close code that the server sends. */
function closeCodeFor(url: string, bytes: Buffer): Promise<number> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const client = connect(Number(port), "127.0.0.1");
    let got = Buffer.alloc(0);
    client.on("error", reject);
    client.on("data", (chunk: Buffer) => {
      const isFirst = got.length === 0;
      got = Buffer.concat([got, chunk]);
      const end = got.indexOf("\r\n\r\n") + 4;
      if (isFirst) client.write(bytes);
      if (got[end] !== 0x88 || got.length < end + 4) return;
      resolve(got.readUInt16BE(end + 2));
      client.destroy();
    });
    client.on("close", () => reject(new Error(`closed without a close frame: ${got.toString("latin1")}`)));
    client.write(handshake);
  });
}

const text = Buffer.from('{"event":"say","data":{"text":"x"}}');
const cases: readonly [name: string, bytes: Buffer, code: number][] = [
  ["a frame without a mask", Buffer.concat([Buffer.from([0x81, text.length]), text]), 1002],
  ["a fragmented control frame", frame(0x09, Buffer.from("x")), 1002],
  ["a control frame that is too long", frame(0x89, Buffer.alloc(126)), 1002],
  ["a continuation of nothing", frame(0x80, text), 1002],
  ["an unknown opcode", frame(0x83, text), 1002],
  ["a compressed frame, which was not negotiated", frame(0xc1, text), 1002],
  ["text that is not UTF-8", frame(0x81, Buffer.from([0xff, 0xfe])), 1007],
  ["a message that announces too many bytes", frame(0x81, Buffer.alloc(0), 2000), 1009],
  [
    "fragments that are too large together",
    Buffer.concat([frame(0x01, Buffer.alloc(600, "x")), frame(0x80, Buffer.alloc(600, "x"))]),
    1009,
  ],
  [
    "too many fragments",
    Buffer.concat([frame(0x01, Buffer.alloc(0)), ...Array<Buffer>(300).fill(frame(0x00, Buffer.from("x")))]),
    1008,
  ],
  ["a binary message", frame(0x82, text), 1003],
  ["an invalid close code", frame(0x88, Buffer.from([0x03, 0xed])), 1002],
  ["a flood of pongs", Buffer.concat(Array<Buffer>(300).fill(frame(0x8a, text))), 1008],
];

test("a client that floods the server with pings and reads no answers is disconnected", async () => {
  const closings: unknown[] = []; // at the server: the frame is lost where the kernel resets a connection with unread bytes
  class Recorded {
    readonly record = socket(
      { receives: { say: Say }, sends: {} },
      { on: { say: () => {} }, close: (_, __, closing) => closings.push(closing) },
    );
    routes(): Routes {
      return [{ method: "GET", path: "/", handler: this.record }];
    }
  }
  await withLiveApp(Recorded, async ({ url }) => {
    const client = await SocketClient.open(url);
    client.socket.pause();
    const { closed } = client;
    for (let count = 0; count < 300; count++) client.socket.ping(Buffer.alloc(100));
    await until(() => closings.length > 0, "end of the socket");
    assert.deepEqual(closings, [{ code: 1008, reason: "too many messages" }]);
    client.socket.resume();
    await closed;
  });
});

/** Messages that never end. */
const unfinished: readonly [name: string, bytes: Buffer][] = [
  ["half of a head", Buffer.from([0x81])],
  ["a head without its payload", frame(0x81, Buffer.alloc(0), 100)],
  ["half of a payload", frame(0x81, text.subarray(0, 10), text.length)],
  ["a fragment", frame(0x01, text.subarray(0, 10))],
  ["an empty fragment", frame(0x01, Buffer.alloc(0))],
  ["a fragment after a message", Buffer.concat([frame(0x81, text), frame(0x01, text.subarray(0, 10))])],
];

test("a message that is not finished in time closes the socket", async () => {
  await withLiveApp(
    Echo,
    async ({ url }) => {
      for (const [name, bytes] of unfinished) {
        const client = await SocketClient.open(url);
        const raw = (client.socket as unknown as { readonly _socket: Socket })._socket; // `ws` sends only whole frames
        raw.write(bytes);
        assert.deepEqual(await client.closed, { code: 1008, reason: "a message took too long to arrive" }, name);
      }
    },
    { options: { messageTimeout: 60, recheck: 20 } },
  );
});

test("many short messages are not one that takes long", async (t) => {
  t.mock.timers.enable({ apis: ["Date", "setInterval"] });
  await withLiveApp(
    Echo,
    async ({ app, url }) => {
      const accepted = acceptedSocket();
      const client = await SocketClient.open(url);
      const socket = await accepted;
      for (let round = 0; round < 12; round++) {
        const before = socket.bytesRead;
        client.socket.send('{"event":"say",', { fin: false });
        await until(() => socket.bytesRead > before, "first half");
        t.mock.timers.tick(100);
        client.socket.send('"data":{"text":"x"}}');
        assert.deepEqual((await client.next()).data, { text: "x" });
      }
      await client.close();
      assert.equal(app.get(LiveConnections).stats().sockets, 0);
    },
    { options: { messageTimeout: 1000, recheck: 20 } },
  );
});

test("hostile frames get the documented close codes, and others are still served", async () => {
  await withLiveApp(Echo, async ({ app, url }) => {
    for (const [name, bytes, code] of cases) assert.equal(await closeCodeFor(url, bytes), code, name);
    const client = await SocketClient.open(url);
    client.send("say", { text: "still here" });
    assert.deepEqual((await client.next()).data, { text: "still here" });
    await client.close();
    await until(() => app.get(LiveConnections).stats().sockets === 0, "end of the sockets");
  });
});
