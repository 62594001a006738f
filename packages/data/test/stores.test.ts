import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule, inject, provide, token } from "@tenon/core";
import { describeStores } from "@tenon/core/internal";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { Cache, KeyValue, SharedStore } from "@tenon/data";
import { type StoreOptions, Stores } from "../src/stores.ts";
import { services } from "./support/services.ts";
import { uniqueKey, withStores } from "./support/stores.ts";

const Described = token<object>("Described");

/** What the stores of these options tell the tool; none of them is opened. */
async function describe(options: StoreOptions): Promise<object> {
  const module = defineModule({
    name: "app",
    declarations: [
      provide(Stores, () => new Stores(options)),
      provide(Described, () => inject(Stores)[describeStores]()),
    ],
  });
  const app = await createTestApp(module, api());
  await app.stop();
  return app.get(Described);
}

test("the stores describe where they are, without passwords", async () => {
  assert.deepEqual(await describe({}), {
    database: "sqlite ./data/app.db",
    keyValue: "sqlite ./data/app.db",
    cache: "memory",
  });
  const postgres = "postgres://admin:secret@db.test/shop?password=secret";
  assert.deepEqual(
    await describe({ database: postgres, keyValue: "memory:", cache: "redis://:secret@cache.test:7000" }),
    {
      database: "postgres db.test:5432",
      keyValue: "memory",
      cache: "redis cache.test:7000",
    },
  );
});

test("applications with different prefixes share nothing in one Redis", { skip: services.redis === undefined }, () => {
  const withApp = <T>(prefix: string, body: (app: TestHttpApp) => Promise<T>) =>
    withStores(
      { database: "sqlite::memory:", keyValue: services.redis, cache: services.redis, redis: { prefix } },
      body,
    );
  const key = uniqueKey("prefix");
  return withApp("tenon-test-a:", (first) =>
    withApp("tenon-test-b:", async (second) => {
      await first.get(KeyValue).set(key, "first", { ttl: 60 });
      await first.get(Cache).set(key, "cached", 60);
      assert.equal(await first.get(KeyValue).get(key), "first");
      assert.equal(await second.get(KeyValue).get(key), undefined);
      assert.equal(await second.get(Cache).get(key), undefined);
      assert.equal(await second.get(KeyValue).increment(key, { ttl: 60 }), 1);
      const keys = (await first.get(KeyValue).list(1000)).map((entry) => entry.key);
      assert.ok(keys.includes(key));
      const { redis } = first.get(SharedStore);
      assert.equal(await redis?.run(["GET", `tenon-test-a:kv:${key}`]), '"first"');
      assert.equal(await redis?.run(["GET", `tenon-test-a:cache:${key}`]), '"cached"');
      for (const app of [first, second]) await app.get(KeyValue).delete(key);
      await first.get(Cache).delete(key);
    }),
  );
});
