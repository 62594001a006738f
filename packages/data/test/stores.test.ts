import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { api, defineModule, inject, provide, token } from "@tenon/core";
import { describeStores } from "@tenon/core/internal";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { Cache, KeyValue, SharedStore, storeGuarantees } from "@tenon/data";
import { type StoreOptions, Stores } from "../src/stores.ts";
import { patientRedis, services } from "./support/services.ts";
import { uniqueKey, withStores } from "./support/stores.ts";

const Described = token<ReturnType<Stores[typeof describeStores]>>("Described");

/** What the stores of these options tell the tool; none of them is opened. */
async function describe(options: StoreOptions, fact: "place" | "guarantee"): Promise<object> {
  const module = defineModule({
    name: "app",
    declarations: [
      provide(Stores, () => new Stores(options)),
      provide(Described, () => inject(Stores)[describeStores]()),
    ],
  });
  const app = await createTestApp(module, api());
  await app.stop();
  const facts = Object.entries(app.get(Described));
  return Object.fromEntries(facts.map(([name, { [fact]: text }]) => [name, text]));
}

test("the stores describe where they are, without passwords", async () => {
  assert.deepEqual(await describe({}, "place"), {
    database: "sqlite ./data/app.db",
    keyValue: "sqlite ./data/app.db",
    cache: "memory",
  });
  const postgres = "postgres://admin:secret@db.test/shop?password=secret";
  assert.deepEqual(
    await describe({ database: postgres, keyValue: "memory:", cache: "redis://:secret@cache.test:7000" }, "place"),
    {
      database: "postgres db.test:5432",
      keyValue: "memory",
      cache: "redis cache.test:7000",
    },
  );
});

test("the stores describe what they guarantee", async () => {
  const { database, keyValue, cache } = storeGuarantees;
  assert.deepEqual(await describe({}, "guarantee"), {
    database: database.sqlite,
    keyValue: keyValue.sqlite,
    cache: cache.memory,
  });
  const [postgres, redis] = ["postgres://db.test/shop", "redis://cache.test"];
  assert.deepEqual(await describe({ database: postgres, keyValue: redis, cache: redis }, "guarantee"), {
    database: database.postgres,
    keyValue: keyValue.redis,
    cache: cache.redis,
  });
  assert.deepEqual(await describe({ database: "sqlite::memory:" }, "guarantee"), {
    database: database.memory,
    keyValue: keyValue.memory,
    cache: cache.memory,
  });
});

test("the documentation has every guarantee in the words of tenon info", () => {
  const text = readFileSync(new URL("../../../docs/scaling.md", import.meta.url), "utf8");
  const all = Object.values(storeGuarantees).flatMap((kinds) => Object.values(kinds));
  assert.deepEqual(
    all.filter((guarantee) => !text.includes(guarantee)),
    [],
  );
});

test("applications with different prefixes share nothing in one Redis", { skip: services.redis === undefined }, () => {
  const withApp = <T>(prefix: string, body: (app: TestHttpApp) => Promise<T>) =>
    withStores(
      {
        database: "sqlite::memory:",
        keyValue: services.redis,
        cache: services.redis,
        redis: { prefix, ...patientRedis },
      },
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
      const keys = (await first.get(KeyValue).list(100_000)).map((entry) => entry.key);
      assert.ok(keys.includes(key));
      const { redis } = first.get(SharedStore);
      assert.equal(await redis?.run(["GET", `tenon-test-a:kv:${key}`]), '"first"');
      assert.equal(await redis?.run(["GET", `tenon-test-a:cache:${key}`]), '"cached"');
      for (const app of [first, second]) await app.get(KeyValue).delete(key);
      await first.get(Cache).delete(key);
    }),
  );
});

test("a wrong URL to listen on stops the start", async () => {
  const start = withStores({ database: "postgres://db.test/shop", postgres: { listenUrl: "db.test" } }, async () => {});
  await assert.rejects(start, /postgres\.listenUrl does not begin with a scheme\. It takes a URL such as postgres:/);
});

test("a URL for listening that leads to the pooler is a start error", async () => {
  const database = "postgres://app@pooler.test/shop?pooler=transaction";
  const postgres = { listenUrl: "postgres://pooler.test:5432/shop" };
  await assert.rejects(
    withStores({ database, postgres }, async () => {}),
    /DATABASE_LISTEN_URL leads to the pooler/,
  );
});

test("a wrong parameter of the URL of PostgreSQL stops the start", async () => {
  for (const [parameter, problem] of [
    [
      "statement_timeout=30s",
      "has an invalid statement_timeout. It takes milliseconds, such as statement_timeout=30000.",
    ],
    ["pooler=session", "has an invalid pooler. It takes pooler=transaction, or no pooler."],
  ]) {
    const options = { database: `postgres://db.test/shop?${parameter}`, urlNames: { database: "DATABASE_URL" } };
    await assert.rejects(describe(options, "place"), ({ message }) => {
      assert.ok(message.includes(`DATABASE_URL ${problem}`), message);
      return true;
    });
  }
});
