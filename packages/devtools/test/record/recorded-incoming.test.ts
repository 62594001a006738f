import assert from "node:assert/strict";
import { test } from "node:test";
import type { Incoming } from "@tenon/core/platform";
import { JsonIncoming, RecordedIncoming } from "../../src/record/recorded-incoming.ts";

const incoming: Incoming = {
  method: "POST",
  path: "/posts",
  search: "page=2",
  address: "192.0.2.1",
  peer: "127.0.0.1",
  protocol: "https",
  host: "blog.example",
  signal: new AbortController().signal,
  header: (name) => `the header ${name}`,
  headers: () => ({ accept: "text/html" }),
  readBody: async (limit, timeout) => new TextEncoder().encode(`${limit} bytes in ${timeout} ms`),
};

const parts = ["method", "path", "search", "address", "peer", "protocol", "host", "signal"] as const;

test("every part of a recorded request is that of the original", async () => {
  const recorded = new RecordedIncoming(incoming);
  for (const part of parts) assert.equal(recorded[part], incoming[part], part);
  assert.equal(recorded.header("accept"), "the header accept");
  assert.deepEqual(recorded.headers(), { accept: "text/html" });
  assert.equal(new TextDecoder().decode(await recorded.readBody(10, 500)), "10 bytes in 500 ms");
});

test("a recorded request has an id only when the original has one", () => {
  assert.ok(!("id" in incoming));
  assert.equal(new RecordedIncoming(incoming).id, undefined);
  assert.equal(new RecordedIncoming({ ...incoming, id: "1f0c93a2be" }).id, "1f0c93a2be");
});

test("a part is computed only when it is read", () => {
  const lazy: Incoming = {
    ...incoming,
    get address(): string {
      throw new Error("the address was computed");
    },
  };
  const recorded = new RecordedIncoming(lazy);
  assert.equal(recorded.path, "/posts");
  assert.throws(() => recorded.address, /computed/);
});

test("a page for a client that prefers JSON has another path", () => {
  const json = new JsonIncoming({ ...incoming, path: "/_dev/requests.json" });
  assert.equal(json.path, "/_dev/requests");
  assert.equal(json.header("accept"), "application/json");
});
