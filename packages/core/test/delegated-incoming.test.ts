import assert from "node:assert/strict";
import { test } from "node:test";
import { DelegatedIncoming, type Incoming } from "@tenon/core/platform";

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

test("every part of a delegated request is that of the original", async () => {
  const delegated = new DelegatedIncoming(incoming);
  for (const part of parts) assert.equal(delegated[part], incoming[part], part);
  assert.equal(delegated.header("accept"), "the header accept");
  assert.deepEqual(delegated.headers(), { accept: "text/html" });
  assert.equal(new TextDecoder().decode(await delegated.readBody(10, 500)), "10 bytes in 500 ms");
});

test("a delegated request has an id only when the original has one", () => {
  assert.ok(!("id" in incoming));
  assert.equal(new DelegatedIncoming(incoming).id, undefined);
  assert.equal(new DelegatedIncoming({ ...incoming, id: "1f0c93a2be" }).id, "1f0c93a2be");
});

test("a part is computed only when it is read", () => {
  const lazy: Incoming = {
    ...incoming,
    get address(): string {
      throw new Error("the address was computed");
    },
  };
  const delegated = new DelegatedIncoming(lazy);
  assert.equal(delegated.path, "/posts");
  assert.throws(() => delegated.address, /computed/);
});

test("a subclass changes one part", () => {
  class Renamed extends DelegatedIncoming {
    override get path(): string {
      return `/v2${super.path}`;
    }
  }
  const renamed = new Renamed(incoming);
  assert.equal(renamed.path, "/v2/posts");
  assert.equal(renamed.method, "POST");
});
