import assert from "node:assert/strict";
import { test } from "node:test";
import { readEvents, type ServerSentEvent } from "../../../src/client/runtime/event-stream.ts";

async function readAll(chunks: readonly Uint8Array[]): Promise<ServerSentEvent[]> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return Array.fromAsync(readEvents(stream));
}

const text =
  "\uFEFF: a comment\r\ndata: first\ndata:second\r\rid: 1\nevent: größe\ndata:  日本\r\n\r\n" +
  "event: lost\n\nretry: 5\nid: with\0null\ndata\n\nid\ndata: last\nunknown: x\n\ndata: cut off";
const expected = [
  { event: "message", data: "first\nsecond", id: "" },
  { event: "größe", data: " 日本", id: "1" },
  { event: "message", data: "", id: "1" },
  { event: "message", data: "last", id: "" },
];

test("events are parsed as the HTML standard says, and one that is cut off is not delivered", async () => {
  assert.deepEqual(await readAll([new TextEncoder().encode(text)]), expected);
});

test("chunks may be split at any byte", async () => {
  const bytes = new TextEncoder().encode(text);
  for (let border = 0; border <= bytes.length; border++) {
    assert.deepEqual(await readAll([bytes.subarray(0, border), bytes.subarray(border)]), expected, `at ${border}`);
  }
  assert.deepEqual(await readAll([...bytes].map((byte) => Uint8Array.of(byte))), expected);
});

test("an error of the stream reaches the reader", async () => {
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("lost")),
  });
  await assert.rejects(Array.fromAsync(readEvents(stream)), /lost/);
});
