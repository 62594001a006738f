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

    run("returns undefined for a key that was never set", async (store, key) => {
      assert.equal(await store.get(key), undefined);
      assert.equal(await store.take(key), undefined);
      assert.equal(await store.delete(key), false);
    });

    run("keeps any JSON value unchanged", async (store, key) => {
      for (const value of ["", "text", 0, -1.5, true, false, null, [], [1, "a"], { a: { b: [null] } }, "ü😀\n\"'\\"]) {
        await store.set(key, value);
        assert.deepEqual(await store.get(key), value);
      }
    });

    run("refuses a value that has no JSON form", async (store, key) => {
      await assert.rejects(store.set(key, undefined), { message: "a undefined cannot be stored: it has no JSON form" });
      assert.equal(await store.get(key), undefined);
    });

    run("lists entries that have not expired, for developer tools", async (store, key) => {
      await store.set(key, { a: 1 }, { ttl: 60 });
      await store.set(`${key}:kept`, "text");
      await store.set(`${key}:gone`, 1, { ttl: 0.03 });
      await sleep(60);
      const entries = (await store.list(100_000)).filter((entry) => entry.key.startsWith(key));
      assert.deepEqual(entries.map((entry) => [entry.key, entry.text]).sort(), [
        [key, '{"a":1}'],
        [`${key}:kept`, '"text"'],
      ]);
      const ttl = entries.find((entry) => entry.key === key)?.ttl ?? 0;
      assert.ok(ttl > 0 && ttl <= 60);
      assert.equal(entries.find((entry) => entry.key !== key)?.ttl, Number.POSITIVE_INFINITY);
      const { length } = await store.list(1);
      // Redis looks at 4,000 keys for one, and there may be as many of other tests
      assert.ok(adapter.name === "Redis" ? length <= 1 : length === 1);
    });

    run("replaces a value and its time to live", async (store, key) => {
      await store.set(key, 1, { ttl: 0.05 });
      await store.set(key, 2);
      await sleep(80);
      assert.equal(await store.get(key), 2);
    });

    run("expires a key for every operation", async (store, key) => {
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

    test("a key that was seen as expired stays expired when the clock is set back", (t) => {
      const clock = { offset: 0 };
      const now = Date.now;
      t.mock.method(Date, "now", () => now() + clock.offset); // before the stores are created: they keep the function
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

    run("returns a value to one take only", async (store, key) => {
      await store.set(key, { once: true });
      const taken = await Promise.all(Array.from({ length: 20 }, () => store.take(key)));
      assert.deepEqual(
        taken.filter((value) => value !== undefined),
        [{ once: true }],
      );
      assert.equal(await store.get(key), undefined);
    });

    run("deletes a value and returns whether there was one", async (store, key) => {
      await store.set(key, 1);
      assert.equal(await store.delete(key), true);
      assert.equal(await store.delete(key), false);
    });

    run("counts every increment of concurrent callers", async (store, key) => {
      const counts = await Promise.all(Array.from({ length: 50 }, () => store.increment(key)));
      assert.deepEqual(
        counts.toSorted((a, b) => a - b),
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
      assert.equal(await store.get(key), 50);
    });

    run("increments a number that was set", async (store, key) => {
      await store.set(key, 41);
      assert.equal(await store.increment(key), 42);
    });

    run("sets the time to live with the first increment only", async (store, key) => {
      await store.increment(key, { ttl: 0.15 });
      for (let step = 0; step < 4; step++) {
        await sleep(50);
        await store.increment(key, { ttl: 60 });
      }
      assert.ok(Number(await store.get(key)) < 5, "the window restarted after it expired");
    });

    run("returns the remaining time to live, however often the key is incremented", async (store, key) => {
      assert.equal(await store.ttl(key), undefined);
      await store.set(key, 1);
      assert.equal(await store.ttl(key), Number.POSITIVE_INFINITY);
      const start = Date.now();
      await store.set(key, 1, { ttl: 60 });
      const atFirst = (await store.ttl(key)) ?? 0;
      // a second for a server that has its own clock
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

    run("refuses to increment a value that is not a number", async (store, key) => {
      await store.set(key, "text");
      await assert.rejects(store.increment(key), { message: `"${key}" does not hold a whole number` });
      assert.equal(await store.get(key), "text");
    });

    run("keeps keys apart, also unusual ones", async (store, key) => {
      const odd = [`${key}'`, `${key}"`, `${key};--`, `${key}%`, `${key}\n`, `${key}ü`];
      for (const [index, name] of odd.entries()) await store.set(name, index);
      for (const [index, name] of odd.entries()) assert.equal(await store.take(name), index);
    });
  });
}
