import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { type Context, dto, inject, integer, type Routes, string } from "@tenon/core";
import { Channels, events, LiveConnections, socket } from "@tenon/live";
import { acceptedSocket } from "../../core/test/support/accepted-socket.ts";
import { until } from "../../core/test/support/until.ts";
import { EventReader } from "./support/event-reader.ts";
import { withLiveApp } from "./support/live-app.ts";
import { SocketClient } from "./support/socket-client.ts";

const Text = dto("Text", { text: string("required") });
const End = dto("End", { code: integer("required"), reason: string() });
const messages = { receives: { end: End, work: Text }, sends: { said: Text } };

class Endings {
  readonly channels = inject(Channels);
  readonly ended: string[] = [];
  readonly worked: string[] = [];
  readonly waits: (() => void)[] = [];

  routes(): Routes {
    return [
      { method: "GET", path: "/socket", handler: this.socket },
      { method: "GET", path: "/leased", handler: this.leased, middlewares: [addLease] },
      { method: "GET", path: "/events", handler: this.events },
    ];
  }

  readonly #create = () =>
    socket(messages, {
      open: async (_, live) => {
        live.onClose(() => {
          throw new Error("a bug");
        });
        live.onClose(async () => {
          throw new Error("a later bug");
        });
        live.onClose(() => void this.ended.push("socket"));
        await this.channels.subscribe("news", live);
      },
      on: {
        end: (_, live, { code, reason }) => live.close(code, reason),
        work: async (_, __, { text }) => {
          this.worked.push(text);
          await new Promise<void>((resolve) => this.waits.push(resolve));
        },
      },
    });
  readonly socket = this.#create();
  readonly leased = this.#create();
  readonly events = events({ sends: messages.sends }, async (_, stream) => {
    stream.onClose(() => {
      throw new Error("a bug");
    });
    stream.onClose(() => void this.ended.push("stream"));
    await this.channels.subscribe("news", stream);
  });
}

const lease = { reason: "é".repeat(100), expiresAt: Number.POSITIVE_INFINITY };

function addLease(ctx: Context, next: () => unknown): unknown {
  ctx.addLease(lease);
  return next();
}

test("a function given to onClose() that fails keeps nothing open", async () => {
  const lines: string[] = [];
  const log = { level: "error", destination: { write: (line: string) => void lines.push(line) } } as const;
  await withLiveApp(
    Endings,
    async ({ app, url }) => {
      const client = await SocketClient.open(`${url}/socket`);
      const leaving = new AbortController();
      await EventReader.open(`${url}/events`, {}, leaving.signal);
      const { ended } = app.get(Endings);
      assert.equal(app.get(Channels).count("news"), 2);
      await client.close();
      leaving.abort();
      await until(() => ended.length >= 2, "ends of both");
      assert.deepEqual(ended, ["socket", "stream"]);
      const { streams, sockets } = app.get(LiveConnections).stats();
      assert.deepEqual([streams, sockets, app.get(Channels).count("news")], [0, 0, 0]);
    },
    { log },
  );
  const failures = lines.filter((line) => line.includes("a function given to onClose() has failed"));
  assert.equal(failures.length, 3, lines.join(""));
});

test("close() with a code that is never sent throws, and a long reason is cut", async () => {
  await withLiveApp(Endings, async ({ app, url }) => {
    const client = await SocketClient.open(`${url}/socket`);
    for (const code of [0, 999, 1004, 1005, 1006, 1015, 2999, 5000]) {
      client.send("end", { code });
      assert.equal((await client.next()).event, "error", String(code));
    }
    assert.equal(app.get(LiveConnections).stats().sockets, 1);
    client.send("end", { code: 4000, reason: "é".repeat(100) });
    assert.deepEqual(await client.closed, { code: 4000, reason: "é".repeat(61) });
  });
});

test("messages that wait when a lease ends are not handled, and its long reason is cut", async () => {
  await withLiveApp(
    Endings,
    async ({ app, url }) => {
      const accepted = acceptedSocket();
      const client = await SocketClient.open(`${url}/leased`);
      const socket = await accepted;
      const raw = (client.socket as unknown as { readonly _socket: Socket })._socket; // `ws` does not count bytes
      client.socket.pause(); // it does not respond to the close frame
      for (const text of ["one", "two", "three"]) client.send("work", { text });
      const { worked, waits } = app.get(Endings);
      await until(() => worked.length > 0 && socket.bytesRead === raw.bytesWritten, "all messages");
      lease.expiresAt = Date.now();
      await until(() => app.get(LiveConnections).stats().sockets === 0, "end of the socket");
      while (waits.length > 0) {
        waits.shift()?.();
        await turn(); // the next message would be handled now
      }
      assert.deepEqual(worked, ["one"]);
      client.socket.resume();
      assert.deepEqual(await client.closed, { code: 4401, reason: "é".repeat(61) });
    },
    { options: { recheck: 40 } },
  );
});
