import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Chunks, toChunk } from "../../src/body/stream.ts";
import { testOnBothTransports } from "../support/transports.ts";

/** A source that records how it is used. */
class Source {
  closed = false;
  readonly #values: readonly unknown[];

  constructor(...values: readonly unknown[]) {
    this.#values = values;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    try {
      yield* this.#values;
      await new Promise(() => {});
    } finally {
      this.closed = true;
    }
  }
}

const silent = () => new Readable({ read() {} });

test("text and bytes pass as they are, other values become lines of JSON", () => {
  assert.equal(toChunk("x"), "x");
  const bytes = new Uint8Array([1]);
  assert.equal(toChunk(bytes), bytes);
  assert.deepEqual(toChunk(bytes.buffer), bytes);
  assert.equal(toChunk({ a: 1 }), '{"a":1}\n');
});

test("the first chunk decides the content type, and is not lost", async () => {
  for (const [value, type] of [
    ["x", "text/plain; charset=utf-8"],
    [new Uint8Array([1]), "application/octet-stream"],
    [{ a: 1 }, "application/x-ndjson"],
  ] as const) {
    const chunks = await new Chunks(Readable.from([value, value])).begin();
    assert.equal(chunks.type, type);
    const all: unknown[] = [];
    for await (const chunk of chunks) all.push(chunk);
    assert.deepEqual(all, [toChunk(value), toChunk(value)]);
  }
});

test("return() reaches a source that was opened and not read further", async () => {
  const source = new Source("x");
  const chunks = await new Chunks(source).begin();
  assert.deepEqual(await chunks.return(), { done: true, value: undefined });
  assert.equal(source.closed, true);
});

test("return() destroys a Node stream at once, whether it was read, is waiting, or was never read", async () => {
  const untouched = silent();
  await new Chunks(untouched).return();
  assert.equal(untouched.destroyed, true);

  const waiting = silent();
  const chunks = new Chunks(waiting);
  const next = chunks.next();
  await chunks.return();
  assert.equal(waiting.destroyed, true);
  await assert.rejects(next);
});

test("return() cancels a web stream that is waiting", async () => {
  let reason: unknown = "not cancelled";
  const stream = new ReadableStream({
    cancel: (why) => {
      reason = why;
    },
  });
  const chunks = new Chunks(stream);
  const next = chunks.next();
  await chunks.return();
  assert.equal(reason, undefined);
  assert.equal((await next).done, true);
});

test("a value that cannot be written closes its source", async () => {
  const source = new Source("x", 1n);
  const chunks = await new Chunks(source).begin();
  assert.deepEqual(await chunks.next(), { done: false, value: "x" });
  await assert.rejects(chunks.next(), TypeError);
  assert.equal(source.closed, true);
});

const sources: { source: Source; file: Readable; events: Readable } = {
  source: new Source(),
  file: silent(),
  events: silent(),
};
testOnBothTransports(
  "HEAD on a route that returns a stream leaves no source open",
  [
    {
      method: "GET",
      path: "/source",
      handler: () => {
        sources.source = new Source("x");
        return sources.source;
      },
    },
    {
      method: "GET",
      path: "/file",
      handler: () => {
        sources.file = silent();
        sources.file.push("first chunk");
        return sources.file;
      },
    },
    {
      method: "GET",
      path: "/events",
      handler: (ctx) => {
        ctx.response().setHeader("content-type", "text/event-stream");
        sources.events = silent();
        return sources.events;
      },
    },
  ],
  async (call) => {
    for (const path of ["/source", "/file", "/events"]) {
      const response = await call("HEAD", path);
      assert.equal(response.status, 200);
      assert.equal(await response.text(), "");
    }
    await turn();
    assert.equal(sources.source.closed, true);
    assert.equal(sources.file.destroyed, true);
    assert.equal(sources.events.destroyed, true);
  },
);
