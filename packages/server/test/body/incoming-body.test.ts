import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyMemory } from "../../src/body/body-memory.ts";
import { boundedChunks } from "../../src/body/bounded-chunks.ts";
import { IncomingBody } from "../../src/body/incoming-body.ts";

const toError = (status: number) => Object.assign(new Error("body"), { status });

/** A body, and what its source is asked for. */
function open() {
  const asked: string[] = [];
  const source = { start: () => void asked.push("start"), resume: () => void asked.push("resume") };
  return { body: new IncomingBody(undefined, source, new BodyMemory(2 ** 30, toError), toError), asked };
}

test("a body of many small chunks takes at most twice its size in memory", async () => {
  const { body } = open();
  const result = body.read(100_000, 30_000);
  const piece = new Uint8Array(1);
  for (let index = 0; index < 100_000; index++) {
    piece[0] = index % 251;
    assert.equal(body.push(piece.slice()), true);
  }
  body.end();
  const bytes = await result;
  assert.equal(bytes.byteLength, 100_000);
  assert.ok(bytes.every((byte, index) => byte === index % 251));
  assert.ok(bytes.buffer.byteLength <= 200_000);
});

test("the first chunk of a body is never written to", async () => {
  const { body } = open();
  const result = body.read(100, 30_000);
  const first = new Uint8Array(new ArrayBuffer(50), 0, 2).fill(1);
  body.push(first);
  body.push(new Uint8Array([2, 2]));
  body.end();
  assert.deepEqual([...(await result)], [1, 1, 2, 2]);
  assert.deepEqual([...new Uint8Array(first.buffer, 0, 4)], [1, 1, 0, 0]);
});

test("a body that has arrived is read at once, also past its limit", async () => {
  const { body, asked } = open();
  for (const text of ["a", "bc"]) body.push(Buffer.from(text));
  body.end();
  assert.equal(Buffer.from(body.read(3, 30_000) as Uint8Array).toString(), "abc");
  await assert.rejects(Promise.resolve(body.read(2, 30_000)), { status: 413 });
  assert.deepEqual(asked, []);
});

test("a client that sends nothing, or next to nothing, is too slow", async () => {
  const drip = async (): Promise<IteratorResult<Uint8Array>> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { done: false, value: new Uint8Array(1) };
  };
  const silent = () => new Promise<never>(() => {});
  for (const next of [drip, silent]) {
    const limits = { declared: undefined, limit: 1_000_000, timeout: 50 };
    await assert.rejects(Array.fromAsync(boundedChunks({ next, stop() {} }, limits, toError)), { status: 408 });
  }
});

test("a client that sends enough is not too slow, however long it takes", async () => {
  let left = 3;
  const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    const until = performance.now() + 20;
    while (performance.now() < until); // the timer of a timeout cannot fire meanwhile
    return left-- > 0 ? { done: false, value: new Uint8Array(1_000_000) } : { done: true, value: undefined };
  };
  const limits = { declared: undefined, limit: 3_000_000, timeout: 15 };
  assert.equal((await Array.fromAsync(boundedChunks({ next, stop() {} }, limits, toError))).length, 3);
});

test("a stream asks its transport to pause when 64 KiB wait, and to resume when there is room", async () => {
  const { body, asked } = open();
  const chunks = body.stream(2 ** 30, 30_000);
  const half = new Uint8Array(32 * 1024);
  assert.deepEqual([body.push(half), body.push(half)], [true, false]);
  assert.equal(body.isStalled(), false, "the reader has something to read");
  await chunks.next();
  await chunks.next();
  assert.deepEqual(asked, ["start", "resume", "resume"]);
  assert.deepEqual([body.isStalled(), body.push(half), body.isStalled()], [true, true, false]);
  await chunks.next();
  const waiting = chunks.next();
  assert.equal(body.push(half), true);
  assert.equal((await waiting).value, half);
  assert.deepEqual([body.isStalled(), body.isStalled()], [false, true]);
  const last = chunks.next();
  body.end();
  body.fail(new Error("too late"));
  assert.deepEqual([(await last).done, body.complete, body.failed], [true, true, false]);
});

test("a body whose handler has responded takes no more, and drops what it has", async () => {
  const { body } = open();
  const waiting = assert.rejects(body.stream(10, 30_000).next(), /has responded before the body was read/);
  body.release();
  await waiting;
  assert.equal(body.push(new Uint8Array(1)), false);
  body.end();
  assert.equal(body.complete, false);
  await assert.rejects(body.stream(10, 30_000).next(), /has responded/);
  const { body: unread } = open();
  unread.release();
  assert.equal(unread.push(new Uint8Array(100_000)), true, "the rest is dropped");
});
