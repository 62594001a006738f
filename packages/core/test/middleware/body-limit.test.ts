import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyLimit } from "@tenon/core/middleware";
import type { Handler } from "../../src/request/handler.ts";
import { testOnBothTransports } from "../support/transports.ts";

const size: Handler = async (ctx) => ({ size: (await ctx.request().body()).byteLength });

testOnBothTransports(
  "a route takes a larger or smaller body than the platform's default, and others keep it",
  [
    { method: "POST", path: "/plain", handler: size },
    { method: "POST", path: "/large", handler: size, middlewares: [bodyLimit(2000)] },
    { method: "POST", path: "/small", handler: size, middlewares: [bodyLimit(10)] },
    { path: "/group", middlewares: [bodyLimit(10)], children: [{ method: "POST", path: "/in", handler: size }] },
  ],
  async (call) => {
    const statusOf = async (path: string, bytes: number) =>
      (await call("POST", path, { body: new Uint8Array(bytes) })).status;
    assert.equal(await statusOf("/plain", 100), 200);
    assert.equal(await statusOf("/plain", 101), 413);
    assert.equal(await statusOf("/large", 2000), 200);
    assert.equal(await statusOf("/large", 2001), 413);
    assert.equal(await statusOf("/small", 10), 200);
    assert.equal(await statusOf("/small", 11), 413);
    assert.equal(await statusOf("/group/in", 11), 413);
  },
  { limits: { body: 100 } },
);

testOnBothTransports(
  "the bytes that arrive are counted, not those that were announced",
  [{ method: "POST", path: "/", handler: size, middlewares: [bodyLimit(10)] }],
  async (call) => {
    const stream = (bytes: number) => new Blob([new Uint8Array(bytes)]).stream();
    const init = (bytes: number) => ({ body: stream(bytes), duplex: "half" }) as RequestInit; // the type has no duplex
    assert.equal((await call("POST", "/", init(10))).status, 200);
    assert.equal((await call("POST", "/", init(11))).status, 413);
  },
);

test("a limit that is not a whole number above zero stops the start", () => {
  for (const bytes of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => bodyLimit(bytes), {
      name: "StartError",
      message: /^bytes of bodyLimit\(\) is .*whole number from 1/,
    });
  }
});
