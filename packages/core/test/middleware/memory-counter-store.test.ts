import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryCounterStore } from "@tenon/core/middleware";

test("each key is counted by itself and starts again when it expires", () => {
  let time = 5000;
  const store = new MemoryCounterStore({ clock: { now: () => time } });
  assert.equal(store.increment("a", { ttl: 10 }), 1);
  time += 4000;
  assert.equal(store.increment("a", { ttl: 10 }), 2);
  assert.equal(store.increment("b", { ttl: 10 }), 1);
  time += 5999;
  assert.equal(store.increment("a", { ttl: 10 }), 3);
  time += 1;
  assert.equal(store.increment("a", { ttl: 10 }), 1);
  assert.equal(store.increment("b", { ttl: 10 }), 2);
});

test("past its bound the store drops the least recently used keys, never those in use", () => {
  const store = new MemoryCounterStore({ maxKeys: 100, clock: { now: () => 0 } });
  for (let index = 0; index < 10_000; index++) {
    store.increment(`key ${index}`, { ttl: 60 });
    assert.equal(store.increment("busy", { ttl: 60 }), index + 1);
    assert.ok(store.size <= 100, `${store.size} keys are held`);
  }
  assert.equal(store.increment("key 0", { ttl: 60 }), 1);
  assert.equal(store.increment("key 9999", { ttl: 60 }), 2);
});

test("a bound that holds no key stops the start", () => {
  assert.throws(() => new MemoryCounterStore({ maxKeys: 1 }), {
    name: "StartError",
    message: /maxKeys of MemoryCounterStore\(\) is 1/,
  });
});
