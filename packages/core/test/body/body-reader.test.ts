import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, dto, string } from "@tenon/core";
import { BodyReader } from "../../src/body/body-reader.ts";
import { testOnBothTransports } from "../support/transports.ts";

const routes = [
  { method: "POST" as const, path: "/bind", handler: (ctx: Context) => ctx.bind(dto({ a: string("required") })) },
];

testOnBothTransports("JSON nested 65 or 200,000 levels deep is 400", routes, async (call) => {
  const headers = { "content-type": "application/json" };
  for (const depth of [200_000, 65]) {
    const body = `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    const res = await call("POST", "/bind", { headers, body });
    assert.deepEqual([res.status, await res.json()], [400, { error: "Invalid request" }]);
  }
});

testOnBothTransports("a JSON body is validated, however its content type is written", routes, async (call) => {
  for (const type of [
    "Application/JSON",
    "application/json ;",
    "application/json;charset=utf-8",
    "application/x+json",
  ]) {
    const wrong = await call("POST", "/bind", { headers: { "content-type": type }, body: '{"a":1}' });
    assert.equal(wrong.status, 400, type);
    const right = await call("POST", "/bind", { headers: { "content-type": type }, body: '{"a":"x"}' });
    assert.deepEqual(await right.json(), { a: "x" }, type);
  }
});

testOnBothTransports("forms and text are not read as JSON", routes, async (call) => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "__proto__/json", "constructor/prototype"]) {
    const res = await call("POST", "/bind", { headers: { "content-type": type }, body: '{"a":"x"}' });
    assert.equal(res.status, 400, type);
  }
});

testOnBothTransports("60,000 keys that look like array indices are read", routes, async (call) => {
  const keys = Array.from({ length: 60_000 }, (_, index) => `"${index * 4_294_967}":0`);
  const body = `{"a":"x",${keys.join(",")}}`;
  const res = await call("POST", "/bind", { headers: { "content-type": "application/json" }, body });
  assert.deepEqual([res.status, await res.json()], [200, { a: "x" }]);
});

testOnBothTransports(
  "a handler that does not await a body over the limit does not crash the process",
  [
    {
      method: "POST",
      path: "/",
      handler: (ctx: Context) => {
        void ctx.request().body();
        return "done";
      },
    },
  ],
  async (call) => {
    assert.equal((await call("POST", "/", { body: "x".repeat(100) })).status, 200);
    assert.equal((await call("POST", "/", { body: "x" })).status, 200);
  },
  { limits: { body: 10 } },
);

test("a body of many small chunks takes at most twice its size in memory", async () => {
  const reader = new BodyReader(100_000, 1000);
  const piece = new Uint8Array(1);
  for (let index = 0; index < 100_000; index++) {
    piece[0] = index % 251;
    assert.equal(reader.push(piece.slice()), true);
  }
  reader.end();
  const body = await reader.result;
  assert.equal(body.byteLength, 100_000);
  assert.ok(body.every((byte, index) => byte === index % 251));
  assert.ok(body.buffer.byteLength <= 200_000);
});

test("the first chunk of a body is never written to", async () => {
  const reader = new BodyReader(100, 1000);
  const first = new Uint8Array(new ArrayBuffer(50), 0, 2).fill(1);
  reader.push(first);
  reader.push(new Uint8Array([2, 2]));
  reader.end();
  assert.deepEqual([...(await reader.result)], [1, 1, 2, 2]);
  assert.deepEqual([...new Uint8Array(first.buffer, 0, 4)], [1, 1, 0, 0]);
});
