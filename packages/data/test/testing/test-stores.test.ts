import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineConfig, defineModule, inject, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Cache, Database, dataModule, KeyValue, sql } from "@tenon/data";
import { createTestStores } from "@tenon/data/testing";
import pg from "pg";
import { createClient } from "redis";
import { services } from "../support/services.ts";

class Config extends defineConfig({ DATABASE_URL: string(), REDIS_URL: string() }) {}
const DataModule = dataModule({
  imports: [defineModule({ name: "config", declarations: [Config], exports: [Config] })],
  database: () => inject(Config).databaseUrl,
  keyValue: () => inject(Config).redisUrl,
  cache: () => inject(Config).redisUrl,
  redis: { prefix: "shop:" },
});

async function start(servers?: string) {
  const stores = await createTestStores(servers);
  const app = await createTestApp(DataModule, api(), { config: stores.config });
  await app.get(KeyValue).set("greeting", "hello");
  await app.get(Cache).set("greeting", "hello", 60);
  await sql`create table notes (id integer)`.execute(app.get(Database));
  return { app, stores };
}

test("test stores are in memory without servers", async () => {
  const { app, stores } = await start();
  assert.deepEqual(stores.config, { databaseUrl: "sqlite::memory:", redisUrl: undefined });
  await stores.stop(app);
  await assert.rejects(createTestStores("postgres//127.0.0.1"), /TEST_STORES/);
});

test("test stores on servers are new, keep to a prefix of their own, and are removed", {
  skip: services.postgres === undefined || services.redis === undefined,
}, async (t) => {
  const servers = `${services.postgres},${services.redis}`;
  const [one, other] = [await start(servers), await start(servers)];
  const redis = createClient({ url: services.redis ?? "" });
  await redis.connect();
  t.after(() => redis.destroy());
  const admin = new pg.Client({ connectionString: services.postgres });
  await admin.connect();
  t.after(() => admin.end());
  const name = new URL(one.stores.config.databaseUrl).pathname.slice(1);
  const countDatabases = async () => (await admin.query("select from pg_database where datname = $1", [name])).rowCount;
  assert.notEqual(one.stores.config.databaseUrl, other.stores.config.databaseUrl);
  assert.deepEqual([(await redis.keys(`${name}:*`)).length, await countDatabases()], [2, 1]);
  for (const { app, stores } of [one, other]) await stores.stop(app);
  assert.deepEqual([(await redis.keys(`${name}:*`)).length, await countDatabases()], [0, 0]);
});
