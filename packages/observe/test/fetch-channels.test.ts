import assert from "node:assert/strict";
import { test } from "node:test";
import { testOnWire } from "../../core/test/support/wire.ts";
import { type FetchMessage, isAbort, listenToFetch } from "../src/fetch-channels.ts";

testOnWire(
  "the requests of fetch are seen until the listener ends",
  [{ method: "GET", path: "/seen", handler: () => "seen" }],
  async ({ url }) => {
    const seen: unknown[] = [];
    const note = (name: string) => (message: FetchMessage) => {
      if (message.request.path === "/seen") seen.push([name, message.response?.statusCode]);
    };
    const end = listenToFetch({
      create: note("create"),
      headers: note("headers"),
      trailers: note("trailers"),
      error: note("error"),
    });
    await (await fetch(`${url}/seen`)).text();
    const expected = [
      ["create", undefined],
      ["headers", 200],
      ["trailers", undefined],
    ];
    assert.deepEqual(seen, expected);
    end();
    await (await fetch(`${url}/seen`)).text();
    assert.deepEqual(seen, expected);
  },
);

test("a request that its caller has aborted is not a failure", () => {
  assert.deepEqual([new DOMException("", "AbortError"), "left", new Error("reset")].map(isAbort), [true, true, false]);
});
