import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "@tenon/core/testing";
import { MemoryKeyValue } from "@tenon/data";

test("the memory store is bounded and evicts the oldest key first", async () => {
  const store = new MemoryKeyValue({ maxEntries: 100 });
  for (let index = 0; index < 250; index++) await store.set(`key:${index}`, index);
  assert.equal(store.size, 100);
  assert.equal(await store.get("key:149"), undefined);
  assert.equal(await store.get("key:150"), 150);
});

test("the memory store sweeps expired keys during writes", async () => {
  const clock = new FakeClock(0);
  const store = new MemoryKeyValue({ clock });
  for (let index = 0; index < 500; index++) await store.set(`old:${index}`, index, { ttl: 1 });
  clock.set(2000);
  for (let index = 0; index < 600; index++) await store.set("busy", index);
  assert.equal(store.size, 1);
});

test("a key in the memory store expires at the millisecond of its time to live", async () => {
  const clock = new FakeClock(0);
  const store = new MemoryKeyValue({ clock });
  await store.set("a", 1, { ttl: 10 });
  clock.set(9999);
  assert.equal(await store.get("a"), 1);
  clock.set(10_000);
  assert.equal(await store.get("a"), undefined);
});
