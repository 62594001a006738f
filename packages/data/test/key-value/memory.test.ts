import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryKeyValue } from "@tenon/data";

test("the store in memory is bounded: the oldest key goes first", async () => {
  const store = new MemoryKeyValue({ maxEntries: 100 });
  for (let index = 0; index < 250; index++) await store.set(`key:${index}`, index);
  assert.equal(store.size, 100);
  assert.equal(await store.get("key:149"), undefined);
  assert.equal(await store.get("key:150"), 150);
});

test("the store in memory sweeps expired keys while it is written to", async () => {
  let now = 0;
  const store = new MemoryKeyValue({ now: () => now });
  for (let index = 0; index < 500; index++) await store.set(`old:${index}`, index, { ttl: 1 });
  now = 2000;
  for (let index = 0; index < 600; index++) await store.set("busy", index);
  assert.equal(store.size, 1);
});

test("a key in memory is there one millisecond before its time is over, and not when it is", async () => {
  let now = 0;
  const store = new MemoryKeyValue({ now: () => now });
  await store.set("a", 1, { ttl: 10 });
  now = 9999;
  assert.equal(await store.get("a"), 1);
  now = 10_000;
  assert.equal(await store.get("a"), undefined);
});
