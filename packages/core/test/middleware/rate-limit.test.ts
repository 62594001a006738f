import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { type Context, HttpError, type Routes, route } from "@tenon/core";
import {
  type CounterStore,
  MemoryCounterStore,
  networkOf,
  type RateLimitOptions,
  rateLimit,
} from "@tenon/core/middleware";
import { type Call, testOnBothTransports } from "../support/transports.ts";

const routes: Routes = [
  { method: "GET", path: "/", handler: () => ({ ok: true }) },
  route.get("/teapot", () => {
    throw new HttpError(418, "I'm a teapot");
  }),
];

/** 20 s before a full minute. */
const start = 1_700_000_020_000;
const byClient = (ctx: Context) => ctx.header("x-client");

/** Calls as a new client. */
function asNewClient(call: Call): (path?: string) => Promise<Response> {
  const client = randomUUID();
  return (path = "/") => call("GET", path, { headers: { "x-client": client } });
}

function limited(options: Partial<RateLimitOptions> = {}) {
  return { middlewares: [rateLimit({ limit: 2, window: 60, key: byClient, clock: { now: () => start }, ...options })] };
}

/** As an adapter over a network does it: every count is a promise. */
class RemoteStore implements CounterStore {
  readonly calls: { readonly key: string; readonly ttl: number }[] = [];
  readonly #memory = new MemoryCounterStore();

  async increment(key: string, { ttl }: { readonly ttl: number }): Promise<number> {
    this.calls.push({ key, ttl });
    return this.#memory.increment(key, { ttl });
  }
}

const secret = "connection to 10.1.2.3 refused";
const brokenStores: Record<string, CounterStore> = {
  rejects: { increment: () => Promise.reject(new Error(secret)) },
  throws: {
    increment: () => {
      throw new Error(secret);
    },
  },
  "never settles": { increment: () => new Promise(() => {}) },
  "returns NaN": { increment: () => Number.NaN },
  "returns a promise of NaN": { increment: async () => Number.NaN },
  "returns undefined": { increment: () => undefined as never }, // an adapter that no compiler checked
  "returns a promise of a text": { increment: async () => "1" as never }, // likewise
};
const causeInLog: Record<string, string> = {
  "never settles": "the store took over 20 ms",
  "returns NaN": "the store returned the number NaN, not a count",
  "returns a promise of NaN": "the store returned the number NaN, not a count",
  "returns undefined": "the store returned undefined, not a count",
  "returns a promise of a text": 'the store returned the text "1", not a count',
};

for (const [name, store] of Object.entries({ memory: new MemoryCounterStore(), remote: new RemoteStore() })) {
  testOnBothTransports(
    `past the limit the response is 429 with Retry-After (${name} store)`,
    routes,
    async (call) => {
      const get = asNewClient(call);
      for (const remaining of [1, 0]) {
        const res = await get();
        assert.equal(res.status, 200);
        assert.equal(res.headers.get("ratelimit-policy"), '"default";q=2;w=60');
        assert.equal(res.headers.get("ratelimit"), `"default";r=${remaining};t=20`);
        assert.equal(res.headers.get("retry-after"), null);
      }
      const refused = await get();
      assert.equal(refused.status, 429);
      assert.deepEqual(await refused.json(), { error: "Too Many Requests" });
      assert.equal(refused.headers.get("retry-after"), "20");
      assert.equal(refused.headers.get("ratelimit"), '"default";r=0;t=20');
      assert.equal((await asNewClient(call)()).status, 200);
    },
    limited({ store }),
  );
}

{
  let time = start;
  testOnBothTransports(
    "windows follow the clock, and the seconds left are rounded up",
    routes,
    async (call) => {
      time = start;
      const get = asNewClient(call);
      await get();
      await get();
      time = start + 19_001;
      const late = await get();
      assert.equal(late.status, 429);
      assert.equal(late.headers.get("retry-after"), "1");
      time = start + 20_000;
      const fresh = await get();
      assert.equal(fresh.status, 200);
      assert.equal(fresh.headers.get("ratelimit"), '"default";r=1;t=60');
    },
    limited({ clock: { now: () => time } }),
  );
}

testOnBothTransports(
  "two limits on one store count apart and both report what is left",
  (() => {
    const store = new RemoteStore();
    const minute = rateLimit({
      limit: 5,
      window: 60,
      name: "minute",
      store,
      key: byClient,
      clock: { now: () => start },
    });
    const hour = rateLimit({
      limit: 100,
      window: 3600,
      name: "hour",
      store,
      key: byClient,
      clock: { now: () => start },
    });
    return [{ method: "GET", path: "/", handler: () => 1, middlewares: [hour, minute] }];
  })(),
  async (call) => {
    const res = await asNewClient(call)();
    assert.equal(res.headers.get("ratelimit-policy"), '"minute";q=5;w=60, "hour";q=100;w=3600');
    assert.equal(res.headers.get("ratelimit"), '"minute";r=4;t=20, "hour";r=99;t=2780');
  },
);

{
  const store = new RemoteStore();
  testOnBothTransports(
    "a store is given a key of bounded length that names limit and window, and how long to keep it",
    routes,
    async (call) => {
      for (const client of ["ada", "x".repeat(5000), `${"x".repeat(5000)}y`]) {
        await call("GET", "/", { headers: { "x-client": client } });
      }
      const [short, long, other] = store.calls.splice(0);
      assert.deepEqual(short, { key: `login:ada:${Math.floor(start / 60_000)}`, ttl: 20 });
      assert.match(long?.key ?? "", /^login:[\w-]{43}:\d+$/);
      assert.notEqual(long?.key, other?.key);
    },
    limited({ store, name: "login" }),
  );
}

for (const [failure, store] of Object.entries(brokenStores)) {
  testOnBothTransports(
    `a store that ${failure} makes the route respond with 503, with the cause only in the log`,
    routes,
    async (call, _, log) => {
      const res = await call("GET", "/");
      assert.equal(res.status, 503);
      assert.deepEqual(await res.json(), { error: "Service Unavailable" });
      assert.ok(JSON.stringify(log.all).includes(JSON.stringify(causeInLog[failure] ?? secret)));
    },
    limited({ store, storeTimeout: 20 }),
  );

  testOnBothTransports(
    `a store that ${failure} lets requests pass uncounted where the options say so, with a warning`,
    routes,
    async (call, _, log) => {
      const res = await call("GET", "/");
      assert.equal(res.status, 200);
      assert.equal(res.headers.get("ratelimit"), null);
      assert.deepEqual(log.messages("warn"), ['rate limit "default": the store failed, the request was not counted']);
    },
    limited({ store, storeTimeout: 20, onStoreError: "allow" }),
  );
}

test("options that cannot work stop the start", () => {
  const cases: unknown[] = [
    { limit: 0, window: 60 },
    { limit: 1.5, window: 60 },
    { limit: 10 },
    { window: 60 },
    { limit: 10, window: 0.5 },
    { limit: 10, window: 60, storeTimeout: 0 },
    { limit: 10, window: 60, name: 'a"b' },
    { max: 10, window: 60 },
  ];
  for (const options of cases) {
    assert.throws(() => rateLimit(options as RateLimitOptions), { name: "StartError" });
  }
});

test("IPv6 is keyed by /64 in every notation, mapped IPv4 as IPv4, other text as itself (X4)", () => {
  const networks: Record<string, readonly string[]> = {
    "2001:db8:1:2::/64": [
      ...["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:0db8:0001:0002:0000:0000:0000:0001"],
      ...["2001:DB8:1:2::abcd%eth0", "2001:db8:1:2::192.0.2.1"],
    ],
    "2001:db8:1:3::/64": ["2001:db8:1:3::1"],
    "2001:db8:0:0::/64": ["2001:db8::1"],
    "0:0:0:0::/64": ["::1", "::fffe:192.0.2.1"],
    "fe80:0:0:0::/64": ["fe80::1:2:3:4"],
    "1:2:3:4::/64": ["1:2:3:4:5:6:7::"],
    "192.0.2.1": ["192.0.2.1", "::ffff:192.0.2.1", "0:0:0:0:0:ffff:192.0.2.1", "::FFFF:c000:201"],
  };
  for (const [network, addresses] of Object.entries(networks)) {
    for (const address of addresses) assert.equal(networkOf(address), network, address);
  }
  for (const text of ["", "unknown", "256.1.1.1", "1::2::3"]) assert.equal(networkOf(text), text);
});
