import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import type { Context } from "@tenon/core";
import { request } from "../support/gate.ts";
import { testOnWire } from "../support/wire.ts";

/** Collects unhandled rejections, each of which would crash the process. */
function watchRejections(): { readonly seen: unknown[]; readonly stop: () => void } {
  const seen: unknown[] = [];
  const note = (reason: unknown) => seen.push(reason);
  process.on("unhandledRejection", note);
  return { seen, stop: () => process.off("unhandledRejection", note) };
}

/** An event stream with events from outside, also after its client has left. */
class Pushes {
  readonly aborted = Promise.withResolvers<void>();
  readonly returned = Promise.withResolvers<void>();
  #next = Promise.withResolvers<string>();

  push(event: string): void {
    this.#next.resolve(event);
    this.#next = Promise.withResolvers();
  }

  fail(error: Error): void {
    this.#next.reject(error);
    this.#next = Promise.withResolvers();
  }

  readonly handler = (ctx: Context) => {
    ctx.response().setHeader("content-type", "text/event-stream");
    ctx.signal.addEventListener("abort", () => this.aborted.resolve());
    return {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: await this.#next.promise }),
        return: async () => {
          this.returned.resolve();
          return { done: true, value: undefined };
        },
      }),
    };
  };
}

for (const [how, leave] of [
  ["resets the connection", "resetAndDestroy"],
  ["closes it", "destroy"],
  ["closes its own side", "end"],
] as const) {
  const pushes = new Pushes();
  testOnWire(
    `an event stream ends when its client ${how}, and later events are dropped (K13, h3 62577136, f8c20a00, d77b673e)`,
    [{ method: "GET", path: "/", handler: pushes.handler }],
    async (wire) => {
      const rejections = watchRejections();
      try {
        const client = wire.connect().send(request("/"));
        await client.until(({ text }) => text.includes("\r\n\r\n"), "head");
        assert.match(client.text, /content-type: text\/event-stream\r\n/);
        pushes.push("data: 1\n\n");
        await client.until(({ text }) => text.includes("data: 1"), "event");
        client.socket[leave]();
        await Promise.all([pushes.aborted.promise, pushes.returned.promise]);
        if (how === "closes it") pushes.fail(new Error("late")); // instead of the next event
        for (let round = 0; round < 20; round++) {
          pushes.push("data: late\n\n");
          await turn();
        }
        assert.doesNotMatch(client.text, /late/);
        assert.deepEqual(rejections.seen, []);
        assert.deepEqual(wire.log.messages("error"), []);
      } finally {
        rejections.stop();
      }
    },
  );
}

const piece = new Uint8Array(65_536);
const gigabyte = 2 ** 30 / piece.length;

/** A gigabyte, made piece by piece on demand. */
class Gigabyte {
  made = 0;
  readonly returned = Promise.withResolvers<void>();

  readonly handler = () => this.#pieces();

  async *#pieces(): AsyncGenerator<Uint8Array> {
    try {
      while (this.made < gigabyte) {
        this.made++;
        yield piece;
        await turn();
      }
    } finally {
      this.returned.resolve();
    }
  }
}

const source = new Gigabyte();
testOnWire(
  "a gigabyte for a client that does not read is not buffered, and its source ends when the client leaves (K14, Fastify CVE-2026-25224)",
  [{ method: "GET", path: "/", handler: source.handler }],
  async ({ connect }) => {
    const client = connect().send(request("/"));
    await client.until(({ text }) => text.length > 0, "head");
    client.socket.pause();
    // until nothing more is made: the rest is in the socket buffers of both systems, and one megabyte in this process
    for (let quiet = 0, before = -1; quiet < 500; quiet = before === source.made ? quiet + 1 : 0) {
      before = source.made;
      await turn();
    }
    const external = process.memoryUsage().arrayBuffers;
    assert.ok(source.made * piece.length < 64 * 2 ** 20, `${source.made} pieces were made`);
    assert.ok(external < 2 ** 30 / 4, `${external} bytes are held`);
    client.socket.destroy();
    await source.returned.promise;
    assert.ok(source.made < gigabyte);
  },
);
