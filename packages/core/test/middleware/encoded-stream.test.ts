import assert from "node:assert/strict";
import { test } from "node:test";
import { EncodedStream } from "../../src/middleware/encoded-stream.ts";

test("a reader that stops is released at once, though the source is silent", async () => {
  const silent: AsyncIterable<string> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
  const stream = new EncodedStream(silent, "gzip");
  const reading = stream.next();
  assert.deepEqual(await stream.return(), { done: true, value: undefined });
  await assert.rejects(reading, { code: "ERR_STREAM_PREMATURE_CLOSE" });
});
