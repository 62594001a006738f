import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { MemoryCounterStore } from "@tenon/core/middleware";

test("each key counts by itself and starts anew when its time is over", () => {
  let time = 5000;
  const store = new MemoryCounterStore({ now: () => time });
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

test("past its bound the store forgets the keys unseen for longest, never those in use", () => {
  const store = new MemoryCounterStore({ maxKeys: 100, now: () => 0 });
  for (let index = 0; index < 10_000; index++) {
    store.increment(`key ${index}`, { ttl: 60 });
    assert.equal(store.increment("busy", { ttl: 60 }), index + 1);
    assert.ok(store.size <= 100, `${store.size} keys are held`);
  }
  assert.equal(store.increment("key 0", { ttl: 60 }), 1);
  assert.equal(store.increment("key 9999", { ttl: 60 }), 2);
});

test("X6 limiter memory: expired keys are swept, with short and long windows in one store", () => {
  let time = 1_000_000;
  const store = new MemoryCounterStore({ now: () => time });
  for (let index = 0; index < 1000; index++) store.increment(`first ${index}`, { ttl: index % 2 === 0 ? 1 : 60 });
  time += 60_000;
  store.increment("second", { ttl: 60 });
  assert.equal(store.size, 1);
  for (let minute = 0; minute < 10; minute++) {
    for (let index = 0; index < 1000; index++) store.increment(`minute ${minute} ${index}`, { ttl: 60 });
    assert.ok(store.size <= 2002, `${store.size} keys are held`);
    time += 60_000;
  }
});

test("X6 limiter memory: a million distinct keys stay within 64 MB", () => {
  const fixture = fileURLToPath(new URL("../fixtures/million-keys.ts", import.meta.url));
  const output = execFileSync(process.execPath, ["--expose-gc", "--conditions=@tenon/source", fixture], {
    encoding: "utf8",
    timeout: 60_000,
  });
  const growth = Number(output);
  assert.ok(growth > 0 && growth <= 64 * 1024 * 1024, `the heap grew by ${output} bytes`);
});

test("a bound that holds no key stops the start", () => {
  assert.throws(() => new MemoryCounterStore({ maxKeys: 1 }), { name: "StartError", message: /maxKeys is 1/ });
});
