import assert from "node:assert/strict";
import { once } from "node:events";
import type { Context } from "@tenon/core";
import { Gate, request } from "../support/gate.ts";
import { testOnWire } from "../support/wire.ts";

class Events {
  readonly ended = Promise.withResolvers<void>();
  readonly returned = Promise.withResolvers<void>();
  #push = Promise.withResolvers<string>();

  push(event: string): void {
    this.#push.resolve(event);
    this.#push = Promise.withResolvers();
  }

  readonly handler = (ctx: Context) => {
    ctx.response().setHeader("content-type", "text/event-stream");
    ctx.signal.addEventListener("abort", () => this.ended.resolve());
    return this.#events();
  };

  async *#events(): AsyncGenerator<string> {
    try {
      for (;;) yield await this.#push.promise;
    } finally {
      this.returned.resolve();
    }
  }
}

const events = new Events();
testOnWire(
  "an event stream sends its head at once, then each event, and ends when the client leaves",
  [{ method: "GET", path: "/", handler: events.handler }],
  async ({ connect, log }) => {
    const client = connect().send(request("/"));
    await client.until(({ text }) => text.includes("\r\n\r\n"), "head");
    assert.match(client.text, /content-type: text\/event-stream\r\n/);
    events.push("data: 1\n\n");
    await client.until(({ text }) => text.includes("data: 1"), "event");
    client.socket.destroy();
    await events.ended.promise;
    events.push("data: 2\n\n"); // no client is left: ignored
    await events.returned.promise;
    assert.deepEqual(log.messages("error"), []);
  },
);

const stopped = new Events();
testOnWire(
  "event streams end at a stop",
  [{ method: "GET", path: "/", handler: stopped.handler }],
  async ({ connect, app }) => {
    const client = connect().send(request("/"));
    await client.until(({ text }) => text.includes("\r\n\r\n"), "head");
    stopped.push("data: 1\n\n");
    await client.until(({ text }) => text.includes("data: 1"), "event");
    const stop = app.stop();
    const [response] = await client.untilClosed();
    assert.deepEqual([response?.body, response?.complete], ["data: 1\n\n", true]);
    await stop;
    await stopped.ended.promise;
  },
);

const late = new Events();
const arrived = Promise.withResolvers<void>();
const opening = Promise.withResolvers<void>();
testOnWire(
  "an event stream that opens during a stop ends at once",
  [
    {
      method: "GET",
      path: "/",
      handler: async (ctx: Context) => {
        arrived.resolve();
        await opening.promise;
        return late.handler(ctx);
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
    assert.deepEqual([response?.status, response?.headers.get("connection"), response?.complete], [200, "close", true]);
    await stop;
  },
);

const closedEarly = new Events();
testOnWire(
  "an event stream of a client that closed its sending side before it began ends at once",
  [
    {
      method: "GET",
      path: "/",
      handler: async (ctx: Context) => {
        await once(ctx.signal, "abort");
        return closedEarly.handler(ctx);
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
