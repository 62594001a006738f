import assert from "node:assert/strict";
import { once } from "node:events";
import type { Context } from "@tenon/core";
import { Gate, request } from "../support/gate.ts";
import { testOnWire } from "../support/wire.ts";

/** An event stream that goes on for ever. */
async function* events(ctx: Context): AsyncGenerator<string> {
  yield "data: 1\n\n";
  await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
}

const stream = (ctx: Context) => {
  ctx.response().setHeader("content-type", "text/event-stream");
  return events(ctx);
};

for (const engine of ["wire", "node"] as const) {
  testOnWire(
    `event streams end at a stop (${engine})`,
    [
      { method: "GET", path: "/", handler: stream },
      {
        method: "GET",
        path: "/silent",
        handler: (ctx) => {
          ctx.response().setHeader("content-type", "text/event-stream");
          return new ReadableStream();
        },
      },
    ],
    async ({ connect, app }) => {
      const client = connect().send(request("/"));
      await client.until(({ text }) => text.includes("data: 1"), "event");
      const silent = connect().send(request("/silent"));
      await silent.until(({ text }) => text.includes("\r\n\r\n"), "head, before any event");
      const stop = app.stop();
      for (const [reader, body] of [
        [client, "data: 1\n\n"],
        [silent, ""],
      ] as const) {
        const [response] = await reader.untilClosed();
        assert.deepEqual([response?.body, response?.complete], [body, true]);
      }
      await stop;
    },
    { engine },
  );

  const arrived = Promise.withResolvers<void>();
  const opening = Promise.withResolvers<void>();
  testOnWire(
    `an event stream that opens during a stop ends at once (${engine})`,
    [
      {
        method: "GET",
        path: "/",
        handler: async (ctx) => {
          arrived.resolve();
          await opening.promise;
          return stream(ctx);
        },
      },
      ...new Gate().routes,
    ],
    async ({ connect, app }) => {
      const idle = connect().send(request("/fast/1"));
      await idle.responses(1);
      const client = connect().send(request("/"));
      await arrived.promise;
      const stop = app.stop();
      await idle.untilClosed(); // the stop has begun
      opening.resolve();
      const [response] = await client.untilClosed();
      assert.deepEqual(
        [response?.status, response?.headers.get("connection"), response?.complete],
        [200, "close", true],
      );
      await stop;
    },
    { engine },
  );
}

testOnWire(
  "an event stream of a client that closed its sending side before it began ends at once",
  [
    {
      method: "GET",
      path: "/",
      handler: async (ctx) => {
        await once(ctx.signal, "abort");
        return stream(ctx);
      },
    },
  ],
  async ({ connect }) => {
    const client = connect().send(request("/"));
    client.socket.end();
    const [response] = await client.untilClosed();
    assert.deepEqual([response?.status, response?.body], [200, ""]);
  },
);
