import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { EncodedStream } from "../../src/middleware/encoded-stream.ts";

test("whole bodies are compressed, an absent one to nothing", async () => {
  for (const [body, expected] of [
    ["text", "text"],
    [new TextEncoder().encode("bytes"), "bytes"],
    [null, ""],
  ] as const) {
    const chunks = await Array.fromAsync(new EncodedStream(body, "gzip"));
    assert.equal(gunzipSync(Buffer.concat(chunks)).toString(), expected);
  }
});

test("a reader that stops is released at once, though the source is silent", async () => {
  const silent: AsyncIterable<string> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
  const stream = new EncodedStream(silent, "gzip");
  const reading = stream.next();
  assert.deepEqual(await stream.return(), { done: true, value: undefined });
  await assert.rejects(reading, { code: "ERR_STREAM_PREMATURE_CLOSE" });
});

test("a reader that stops before it began leaves the source unread and stopped", async () => {
  const calls: string[] = [];
  const source = {
    next: async () => {
      calls.push("next");
      return { done: true as const, value: undefined };
    },
    return: async () => {
      calls.push("return");
      return { done: true as const, value: undefined };
    },
  };
  await new EncodedStream({ [Symbol.asyncIterator]: () => source }, "br").return();
  assert.deepEqual(calls, ["return"]);
});
