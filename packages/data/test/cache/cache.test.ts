import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Cache, MemoryKeyValue } from "@tenon/data";
import { caches, uniqueKey, withStores } from "../support/stores.ts";

for (const adapter of caches) {
  describe(`cache on ${adapter.name}`, () => {
    const run = (name: string, body: (cache: Cache, key: string) => Promise<void>) =>
      test(name, () =>
        adapter.with((options) => withStores(options, (app) => body(app.get(Cache), uniqueKey("cache")))),
      );

    run("keeps values until they expire", async (cache, key) => {
      assert.equal(await cache.get(key), undefined);
      await cache.set(key, { a: [1] }, 60);
      assert.deepEqual(await cache.get(key), { a: [1] });
      await cache.set(key, { a: [1] }, 0.05);
      await sleep(80);
      assert.equal(await cache.get(key), undefined);
    });

    run("deletes a value", async (cache, key) => {
      await cache.set(key, 1);
      await cache.delete(key);
      assert.equal(await cache.get(key), undefined);
    });

    run("lists entries, for developer tools", async (cache, key) => {
      await cache.set(key, [1], 60);
      await cache.set(`${key}:kept`, 2);
      const entries = (await cache.list(100_000)).filter((entry) => entry.key.startsWith(key));
      assert.deepEqual(entries.map((entry) => [entry.key, entry.text, Number.isFinite(entry.ttl)]).sort(), [
        [key, "[1]", true],
        [`${key}:kept`, "2", false],
      ]);
    });

    run("returns a separate copy to each caller", async (cache, key) => {
      await cache.set(key, { list: [1] });
      const first = await cache.get<{ list: number[] }>(key);
      first?.list.push(2);
      assert.deepEqual(await cache.get(key), { list: [1] });
    });

    run("loads once for concurrent callers, and then not again", async (cache, key) => {
      let loads = 0;
      const load = async () => {
        await sleep(20);
        return { loads: ++loads };
      };
      const all = await Promise.all(Array.from({ length: 20 }, () => cache.remember(key, 60, load)));
      assert.deepEqual(new Set(all.map((value) => value.loads)), new Set([1]));
      assert.deepEqual(await cache.remember(key, 60, load), { loads: 1 });
    });

    run("does not cache a failed load", async (cache, key) => {
      await assert.rejects(
        cache.remember(key, 60, () => Promise.reject(new Error("no"))),
        { message: "no" },
      );
      assert.equal(await cache.get(key), undefined);
      assert.equal(await cache.remember(key, 60, () => "yes"), "yes");
    });

    run("caches null and false, and loads undefined again", async (cache, key) => {
      let loads = 0;
      for (const value of [null, false]) {
        const name = `${key}:${value}`;
        for (let round = 0; round < 2; round++) {
          assert.equal(
            await cache.remember(name, 60, () => {
              loads++;
              return value;
            }),
            value,
          );
        }
      }
      assert.equal(loads, 2);
      for (let round = 0; round < 2; round++) {
        await cache.remember(`${key}:undefined`, 60, () => {
          loads++;
          return undefined;
        });
      }
      assert.equal(loads, 4);
    });
  });
}

test("a cache whose store fails misses, reports the error, and loads", async () => {
  const errors: unknown[] = [];
  const down = () => Promise.reject(new Error("down"));
  const cache = new Cache(
    { get: down, set: down, delete: down, list: down },
    { onError: (error) => errors.push(error) },
  );
  assert.equal(await cache.get("a"), undefined);
  await cache.set("a", 1);
  await cache.delete("a");
  assert.equal(await cache.remember("a", 60, () => 2), 2);
  assert.equal(errors.length, 5);
});

test("the memory store is bounded by entries and evicts the least recently used one", async () => {
  const store = new MemoryKeyValue({ maxEntries: 3 });
  for (const key of ["a", "b", "c"]) await store.set(key, key);
  await store.get("a");
  await store.set("d", "d");
  assert.equal(await store.get("b"), undefined);
  assert.equal(await store.get("a"), "a");
  assert.equal(store.size, 3);
});

test("the memory store is bounded by bytes", async () => {
  const store = new MemoryKeyValue({ maxBytes: 10_000 });
  for (let index = 0; index < 1000; index++) await store.set(`key${index}`, "x".repeat(100));
  assert.ok(store.size <= 10_000 / 200 && store.size > 20);
  await store.set("huge", "x".repeat(10_000));
  assert.equal(await store.get("huge"), undefined);
  assert.ok(store.size > 20, "a value that does not fit evicts nothing");
});

test("the memory cache has the bounds of the option", async () => {
  await withStores({ cache: "memory:", memoryCache: { maxEntries: 2 } }, async (app) => {
    const cache = app.get(Cache);
    for (const key of ["a", "b", "c"]) await cache.set(key, key);
    assert.equal(await cache.get("a"), undefined);
    assert.deepEqual([await cache.get("b"), await cache.get("c")], ["b", "c"]);
  });
});
