import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpError, Reply } from "@tenon/core";
import { StatusReply, toReply } from "../../src/request/reply.ts";

/** The Reply for a value, as `[status, kind, value]`. */
const read = (value: unknown): unknown[] => {
  const { status, kind, value: inner } = toReply(value);
  return [status, kind, inner];
};

class Problem {
  readonly error = "of a class";
}

test("undefined is 204 without a body, any other value is 200", () => {
  assert.deepEqual(read(undefined), [204, "empty", undefined]);
  for (const value of [null, 0, "", "text", false, true, 1n, [], {}, { a: 1 }, new Date(0)]) {
    assert.deepEqual(read(value), [200, "json", value]);
  }
});

test("a Reply is returned unchanged", () => {
  const reply = new Reply(201, "text", "x");
  assert.equal(toReply(reply), reply);
});

test("bytes, streams and Response pass through", () => {
  const values = [
    new Uint8Array(1),
    Buffer.from("x"),
    new ArrayBuffer(1),
    new Response("x"),
    new ReadableStream(),
    (async function* () {})(),
  ];
  for (const value of values) assert.deepEqual(read(value), [200, "raw", value]);
});

test("{error} is 400, {error, status} is that status, {_status, data} is the data with that status", () => {
  assert.deepEqual(read({ error: "x" }), [400, "json", { error: "x" }]);
  assert.deepEqual(read({ error: "x", status: 404 }), [404, "json", { error: "x", status: 404 }]);
  assert.deepEqual(read({ status: 200, error: "x" }), [200, "json", { status: 200, error: "x" }]);
  assert.deepEqual(read({ _status: 201, data: { a: 1 } }), [201, "json", { a: 1 }]);
  assert.deepEqual(read({ data: null, _status: 202 }), [202, "json", null]);
  const bare = Object.assign(Object.create(null), { error: "x" });
  assert.deepEqual(read(bare), [400, "json", bare], "an object without prototype is plain too");
});

const nearMisses: Record<string, unknown> = {
  "another key beside error": { error: "x", details: [] },
  "an error that is not a string": { error: null },
  "a job with a status of its own": { status: "failed", error: null },
  "a status that is a number as text": { error: "x", status: "404" },
  "a status with a fraction": { error: "x", status: 404.5 },
  "a status that is NaN": { error: "x", status: Number.NaN },
  "_status with a fraction": { _status: 200.5, data: 1 },
  "data alone": { data: 1 },
  "another key beside _status and data": { _status: 201, data: 1, meta: 2 },
  "an inherited error": Object.create({ error: "x" }),
  "an instance of a class": new Problem(),
  "a list of them": [{ error: "x" }],
  "nested deeper": { result: { error: "x" } },
};
test("any other map is data", () => {
  for (const [title, value] of Object.entries(nearMisses)) assert.deepEqual(read(value), [200, "json", value], title);
});

test("a value that is never data throws instead of becoming an empty object", () => {
  const values = [new Error("x"), new HttpError(404, "x"), new StatusReply(201), new Map(), new Set(), [1].values()];
  for (const value of values) assert.throws(() => toReply(value), TypeError);
});
