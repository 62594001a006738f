import assert from "node:assert/strict";
import { Readable } from "node:stream";
import type { Context } from "@tenon/core";
import { until } from "../support/until.ts";
import { type RawClient, testOnWire } from "../support/wire.ts";

const megabyte = 2 ** 20;
const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

const sizes = {
  "/text": () => "x".repeat(1001),
  "/bytes": () => Buffer.alloc(1001),
  "/closing": (ctx: Context) => {
    ctx.response().setHeader("connection", "close");
    return Buffer.alloc(1001);
  },
  "/with-header": (ctx: Context) => {
    ctx.response().setHeader("x-a", "b");
    return ctx.status(200).send("ü".repeat(501));
  },
};

testOnWire(
  "a body larger than limits.pendingBytes is a 500 that names the limit",
  [
    ...Object.entries(sizes).map(([path, handler]) => ({ method: "GET" as const, path, handler })),
    { method: "GET", path: "/fits", handler: () => Buffer.alloc(1000) },
  ],
  async ({ send, log }) => {
    assert.equal((await send(request("/fits"))).body.length, 1000);
    for (const path of Object.keys(sizes)) assert.equal((await send(request(path))).status, 500, path);
    assert.deepEqual(
      log.causes().map((message) => message.replace(/^\d+ /, "")),
      Object.keys(sizes).map(() => "bytes in one piece are more than limits.pendingBytes (1000): send smaller chunks"),
    );
  },
  { limits: { pendingBytes: 1000 } },
);

const taken = Promise.withResolvers<void>();
async function* smallThenLarge(): AsyncGenerator<string> {
  yield "small";
  await taken.promise;
  yield "x".repeat(1001);
}

testOnWire(
  "a chunk larger than limits.pendingBytes cuts the connection",
  [{ method: "GET", path: "/", handler: smallThenLarge }],
  async ({ connect, log }) => {
    const client = connect().send(request("/"));
    await client.until(({ text }) => text.includes("small"), "first chunk");
    taken.resolve();
    const [response] = await client.untilClosed();
    assert.deepEqual([response?.status, response?.body, response?.complete], [200, "small", false]);
    assert.match(log.causes()[0] ?? "", /^1001 bytes in one piece/);
  },
  { limits: { pendingBytes: 1000 } },
);

/** Requests a response and reads nothing of it. */
function requestAndStall(client: RawClient, path: string): RawClient {
  client.send(request(path)).socket.pause();
  return client;
}

const body = 16 * megabyte;
const responses = {
  "/whole": { handler: () => Buffer.alloc(body), size: body },
  "/stream": { handler: () => Readable.from([Buffer.alloc(body), Buffer.alloc(body)]), size: 2 * body },
};

for (const [path, { handler, size }] of Object.entries(responses)) {
  testOnWire(
    `past limits.pendingBytesTotal the slowest readers are disconnected, and no others (${path})`,
    [
      { method: "GET", path, handler },
      { method: "GET", path: "/", handler: () => "ok" },
    ],
    async ({ connect, send, log }) => {
      const warnings = () => log.all.filter(({ level }) => level === "warn");
      const clients: RawClient[] = [];
      for (let count = 0; count < 3; count++) {
        assert.deepEqual(warnings(), []);
        clients.push(requestAndStall(connect(), path));
        await send(request("/")); // the previous request has been handled by now
      }
      await until(() => warnings().length > 0, "disconnected client");
      const arrived = await Promise.all(
        clients.map(async (client) => {
          client.socket.resume();
          await client.until(({ text, closed }) => closed || text.length > size, "whole response or end");
          return client.text.length > size;
        }),
      );
      assert.deepEqual(arrived, [false, true, true]);
      assert.deepEqual(
        warnings().map(({ msg, address }) => [msg, address]),
        [["disconnected a client that does not read its response", "127.0.0.1"]],
      );
    },
    { limits: { pendingBytesTotal: 2.25 * body } }, // the system takes up to 4 MiB of each
  );
}

testOnWire(
  "a client that reads a large body slowly is not disconnected in place of one that does not read",
  [
    { method: "GET", path: "/", handler: () => "ok" },
    { method: "GET", path: "/whole", handler: () => Buffer.alloc(body) },
    { method: "GET", path: "/larger", handler: () => Buffer.alloc(2 * body) }, // without the stalled one, it fits
  ],
  async ({ connect, send, log }) => {
    const isCut = () => log.messages("warn").length > 0;
    const reader = requestAndStall(connect(), "/whole");
    await send(request("/"));
    const stalled = requestAndStall(connect(), "/whole");
    await send(request("/"));
    for (let read = megabyte; read < body - 4 * megabyte && !isCut(); read += megabyte) {
      reader.socket.resume();
      await reader.until(({ text }) => text.length > read, "another megabyte");
      reader.socket.pause();
      if (read === 8 * megabyte) requestAndStall(connect(), "/larger");
      await send(request("/"));
    }
    await until(isCut, "disconnected client");
    for (const client of [reader, stalled]) {
      client.socket.resume();
      await client.until(({ text, closed }) => closed || text.length > body, "whole response or end");
    }
    assert.deepEqual([reader.text.length > body, stalled.text.length > body], [true, false]);
  },
  { limits: { pendingBytesTotal: 2.5 * body } },
);
