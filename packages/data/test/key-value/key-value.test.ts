import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { KeyValue } from "@tenon/data";
import { keyValues, uniqueKey, withStores } from "../support/stores.ts";

for (const adapter of keyValues) {
  describe(`key-value on ${adapter.name}`, () => {
    const run = (name: string, body: (store: KeyValue, key: string) => Promise<void>) =>
      test(name, () =>
        adapter.with((options) => withStores(options, (app) => body(app.get(KeyValue), uniqueKey("kv")))),
      );

    run("gives undefined for a key that was never set", async (store, key) => {
      assert.equal(await store.get(key), undefined);
      assert.equal(await store.take(key), undefined);
      assert.equal(await store.delete(key), false);
    });

    run("keeps any JSON value as it was", async (store, key) => {
      for (const value of ["", "text", 0, -1.5, true, false, null, [], [1, "a"], { a: { b: [null] } }, "ü😀\n\"'\\"]) {
        await store.set(key, value);
        assert.deepEqual(await store.get(key), value);
      }
    });

    run("refuses what has no JSON form", async (store, key) => {
      await assert.rejects(store.set(key, undefined), { message: "a undefined cannot be kept: it has no JSON form" });
      assert.equal(await store.get(key), undefined);
    });

    run("replaces a value and its time to live", async (store, key) => {
      await store.set(key, 1, { ttl: 0.05 });
      await store.set(key, 2);
      await sleep(80);
      assert.equal(await store.get(key), 2);
    });

    run("forgets a key when its time is over, for every operation", async (store, key) => {
      await store.set(key, "old", { ttl: 0.03 });
      await sleep(60);
      assert.equal(await store.get(key), undefined);
      assert.equal(await store.take(key), undefined);
      await store.set(key, "old", { ttl: 0.03 });
      await sleep(60);
      assert.equal(await store.delete(key), false);
      await store.set(key, 41, { ttl: 0.03 });
      await sleep(60);
      assert.equal(await store.increment(key), 1);
    });

    test("a key that was seen to be gone does not come back when the clock is set back", (t) => {
      const clock = { offset: 0 };
      const now = Date.now;
      t.mock.method(Date, "now", () => now() + clock.offset); // before the stores are made: they keep the function
      return adapter.with((options) =>
        withStores(options, async (app) => {
          const [store, key] = [app.get(KeyValue), uniqueKey("kv")];
          await store.set(key, "old", { ttl: 0.03 });
          await sleep(60);
          assert.equal(await store.get(key), undefined);
          clock.offset = -3_600_000;
          assert.equal(await store.get(key), undefined);
          assert.equal(await store.take(key), undefined);
        }),
      );
    });

    run("refuses a time to live that is not a positive number", async (store, key) => {
      for (const ttl of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        await assert.rejects(store.set(key, 1, { ttl }), {
          message: `ttl is ${ttl}. It takes a number of seconds above zero.`,
        });
      }
    });

    run("takes a value once", async (store, key) => {
      await store.set(key, { once: true });
      const taken = await Promise.all(Array.from({ length: 20 }, () => store.take(key)));
      assert.deepEqual(
        taken.filter((value) => value !== undefined),
        [{ once: true }],
      );
      assert.equal(await store.get(key), undefined);
    });

    run("deletes a value and says that there was one", async (store, key) => {
      await store.set(key, 1);
      assert.equal(await store.delete(key), true);
      assert.equal(await store.delete(key), false);
    });

    run("counts every step of concurrent callers", async (store, key) => {
      const counts = await Promise.all(Array.from({ length: 50 }, () => store.increment(key)));
      assert.deepEqual(
        counts.toSorted((a, b) => a - b),
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
      assert.equal(await store.get(key), 50);
    });

    run("counts on from a number that was set", async (store, key) => {
      await store.set(key, 41);
      assert.equal(await store.increment(key), 42);
    });

    run("lets the first step set the time to live and leaves it alone afterwards", async (store, key) => {
      await store.increment(key, { ttl: 0.15 });
      for (let step = 0; step < 4; step++) {
        await sleep(50);
        await store.increment(key, { ttl: 60 });
      }
      assert.ok(Number(await store.get(key)) < 5, "the window began anew when its time was over");
    });

    run("tells how long a key lives on, however often it is counted", async (store, key) => {
      assert.equal(await store.ttl(key), undefined);
      await store.set(key, 1);
      assert.equal(await store.ttl(key), Number.POSITIVE_INFINITY);
      const start = Date.now();
      await store.set(key, 1, { ttl: 60 });
      const atFirst = (await store.ttl(key)) ?? 0;
      // a second for a server that has a clock of its own
      const fewest = 60 - (Date.now() - start) / 1000 - 1;
      assert.ok(atFirst <= 60 && atFirst >= fewest, `${atFirst} s of 60, at least ${fewest}`);
      await sleep(20);
      await store.increment(key, { ttl: 600 });
      const later = (await store.ttl(key)) ?? 0;
      assert.ok(later > 0 && later < atFirst, `${later} s after ${atFirst} s`);
      await store.set(key, 1, { ttl: 0.03 });
      await sleep(60);
      assert.equal(await store.ttl(key), undefined);
    });

    run("refuses to count on what is not a number", async (store, key) => {
      await store.set(key, "text");
      await assert.rejects(store.increment(key), { message: `"${key}" does not hold a whole number` });
      assert.equal(await store.get(key), "text");
    });

    run("keeps keys apart, odd ones too", async (store, key) => {
      const odd = [`${key}'`, `${key}"`, `${key};--`, `${key}%`, `${key}\n`, `${key}ü`];
      for (const [index, name] of odd.entries()) await store.set(name, index);
      for (const [index, name] of odd.entries()) assert.equal(await store.take(name), index);
    });
  });
}
