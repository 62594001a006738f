import assert from "node:assert/strict";
import { test } from "node:test";
import { Cache, Database, Health, KeyValue, StoreError } from "@tenon/data";
import { sql } from "kysely";
import pg from "pg";
import { startProxy } from "./support/fault-proxy.ts";
import { runProcess } from "./support/processes.ts";
import { services, withPostgres } from "./support/services.ts";
import { recovered, settle } from "./support/settle.ts";
import { uniqueKey, withStores } from "./support/stores.ts";

const closedPort = 1;

test("a start without PostgreSQL exits with 1 and one line", () => {
  const { status, stderr } = runProcess("start-app.ts", [
    JSON.stringify({ database: `postgres://u:pass@127.0.0.1:${closedPort}/x` }),
  ]);
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^Cannot start: onStart\(\) of Database \(module "data"\) failed: PostgreSQL at 127\.0\.0\.1:1 does not respond: connect ECONNREFUSED 127\.0\.0\.1:1\. Start it, or change database\. LOG_LEVEL=debug shows where it was thrown\. See .*#start_hook_failed\n$/,
  );
});

test("a start without Redis exits with 1 and one line", () => {
  const options = { database: "sqlite::memory:", keyValue: `redis://127.0.0.1:${closedPort}` };
  const { status, stderr } = runProcess("start-app.ts", [JSON.stringify(options)]);
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^Cannot start: onStart\(\) of KeyValue \(module "data"\) failed: Redis at 127\.0\.0\.1:1 does not respond: .*ECONNREFUSED.*\. Start it, or change keyValue\. LOG_LEVEL=debug shows where it was thrown\. See .*#start_hook_failed\n$/,
  );
});

test("urlNames replace the option's names in error messages", async () => {
  const urlNames = { database: "DATABASE_URL", keyValue: "REDIS_URL", cache: "CACHE_URL" };
  const away = `127.0.0.1:${closedPort}`;
  for (const [options, message] of [
    [{ database: `postgres://${away}/x` }, /Start it, or change DATABASE_URL\. LOG_LEVEL=debug shows/],
    [{ database: "sqlite:/dev/null/app.db" }, /, or change DATABASE_URL\. LOG_LEVEL=debug shows/],
    [{ database: "mysql://host/x" }, /^DATABASE_URL is a URL of another kind\. [^\n]*$/],
    [
      { database: "sqlite::memory:", keyValue: `redis://${away}` },
      /Start it, or change REDIS_URL\. LOG_LEVEL=debug shows/,
    ],
    [
      { database: "sqlite::memory:", cache: `redis://${away}` },
      /Start it, or change CACHE_URL\. LOG_LEVEL=debug shows/,
    ],
  ] as const) {
    const start = withStores({ ...options, urlNames }, async () => {});
    await assert.rejects(start, { name: "StartError", message });
  }
});

for (const [name, options] of [
  ["pg", { database: "postgres://127.0.0.1/x" }],
  ["redis", { database: "sqlite::memory:", keyValue: "redis://127.0.0.1" }],
] as const) {
  test(`a start without the driver ${name} exits with 1 and names the package to install`, () => {
    const { status, stderr } = runProcess("start-app.ts", [JSON.stringify(options)], {
      preload: "without-drivers.mjs",
    });
    assert.equal(status, 1);
    const option = name === "pg" ? "database" : "keyValue";
    assert.match(stderr, new RegExp(`${option} needs the package "${name}"\\. Install it: npm install ${name}\\. `));
    assert.equal(stderr.trim().split("\n").length, 1);
  });
}

test("an invalid URL exits with 1, and nothing of it is shown", () => {
  const { status, stderr } = runProcess("start-app.ts", [JSON.stringify({ database: "mysql://u:secret@host/x" })]);
  assert.equal(status, 1);
  assert.match(stderr, /database is a URL of another kind\. It takes a URL such as sqlite:/);
  assert.doesNotMatch(stderr, /secret|host\/x|mysql/);
});

if (services.postgres !== undefined) {
  const server = new URL(services.postgres);

  test("a missing database is reported as such, not as a missing server", () => {
    server.pathname = "/tenon_nowhere";
    const { status, stderr } = runProcess("start-app.ts", [JSON.stringify({ database: server.href })]);
    assert.equal(status, 1);
    assert.match(
      stderr,
      /refuses the connection: database "tenon_nowhere" does not exist\. Change it there, or change database\./,
    );
  });

  test("a database that accepts no connections is unavailable", () =>
    withPostgres((url) =>
      withStores({ database: url, postgres: { poolSize: 2 } }, async (app) => {
        const admin = new pg.Client({ connectionString: services.postgres });
        await admin.connect();
        const name = new URL(url).pathname.slice(1);
        const db = app.get(Database);
        try {
          await admin.query(`alter database ${name} allow_connections false`);
          await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
          await settle(sql`select 1`.execute(db)); // the pool may still hold the ended connection
          await assert.rejects(sql`select 1`.execute(db), { message: "store unavailable", code: "UNAVAILABLE" });
        } finally {
          await admin.query(`alter database ${name} allow_connections true`);
          await admin.end();
        }
        await sql`select 1`.execute(db);
      }),
    ));

  for (const fault of ["refused", "silent"] as const) {
    test(`every call ends while PostgreSQL is down (${fault}), and the pool recovers without losing a slot`, () =>
      withPostgres(async (direct) => {
        const { proxy, url } = await startProxy(direct, 5432);
        try {
          await withStores({ database: url, postgres: { poolSize: 4, connectTimeout: 6000 } }, async (app) => {
            const db = app.get(Database);
            const query = () => sql<{ one: number }>`select 1 as one`.execute(db);
            await Promise.all(Array.from({ length: 8 }, query));

            const inFlight = Array.from({ length: 4 }, () => settle(sql`select pg_sleep(5)`.execute(db)));
            await proxy.become(fault);
            const results = await Promise.all([...inFlight, ...Array.from({ length: 12 }, () => settle(query()))]);
            for (const { error } of results) {
              assert.ok(error instanceof StoreError);
              assert.equal(error.message, "store unavailable");
            }
            assert.equal((await app.get(Health).report()).checks.database, "unavailable");

            await proxy.become("none");
            await recovered(query);
            const after = await Promise.all(Array.from({ length: 20 }, query));
            assert.equal(after.length, 20);
            assert.equal((await app.get(Health).report()).status, "ok");
          });
        } finally {
          await proxy.stop();
        }
      }));
  }

  test("a slow statement does not count as a dead server", () =>
    withPostgres((url) =>
      withStores({ database: url }, async (app) => {
        const { error } = await settle(sql`select pg_sleep(2)`.execute(app.get(Database)));
        assert.equal(error, undefined);
      }),
    ));

  test("a statement that times out fails with the store's message, and its connection is reused", () =>
    withPostgres((url) =>
      withStores({ database: url, postgres: { poolSize: 1, statementTimeout: 2000 } }, async (app) => {
        const db = app.get(Database);
        const { error } = await settle(sql`select pg_sleep(600)`.execute(db));
        assert.ok(error instanceof StoreError);
        assert.equal(error.message, "store unavailable");
        await recovered(() => sql`select 1`.execute(db));
      }),
    ));
}

if (services.redis !== undefined) {
  const redisUrl = services.redis;

  for (const fault of ["refused", "silent"] as const) {
    test(`every call ends while Redis is down (${fault}), the cache misses, and both recover`, async () => {
      const { proxy, url } = await startProxy(redisUrl, 6379);
      try {
        await withStores({ database: "sqlite::memory:", keyValue: url, cache: url }, async (app) => {
          const store = app.get(KeyValue);
          const cache = app.get(Cache);
          const key = uniqueKey("fault");
          await store.set(key, "kept", { ttl: 60 });
          await proxy.become(fault);
          for (const { error } of await Promise.all(Array.from({ length: 50 }, () => settle(store.get(key))))) {
            assert.ok(error instanceof StoreError);
            assert.equal(error.message, "store unavailable");
          }
          assert.equal(await cache.get(key), undefined);
          assert.equal(await cache.remember(key, 60, () => "loaded"), "loaded");
          assert.equal((await app.get(Health).report()).checks.keyValue, "unavailable");
          await proxy.become("none");
          assert.equal(await recovered(() => store.get(key)), "kept");
          await recovered(async () => assert.equal(await cache.remember(key, 60, () => "again"), "again"));
          await store.delete(key);
        });
      } finally {
        await proxy.stop();
      }
    });
  }

  test("a Redis that accepts connections but does not respond yet delays the next connection only for a short time", async () => {
    const { proxy, url } = await startProxy(redisUrl, 6379);
    try {
      await withStores({ database: "sqlite::memory:", keyValue: url }, async (app) => {
        const store = app.get(KeyValue);
        const key = uniqueKey("silent");
        await store.set(key, 1, { ttl: 60 });
        await proxy.become("refused");
        assert.ok((await settle(store.get(key))).error instanceof StoreError);
        await proxy.become("silent");
        const { connections } = proxy;
        const before = connections.accepted;
        await recovered(async () => assert.ok(connections.accepted > before, "it connects"));
        await proxy.become("none"); // the connections that were accepted until now stay silent
        assert.equal(await recovered(() => store.get(key)), 1);
        await store.delete(key);
      });
    } finally {
      await proxy.stop();
    }
  });

  test("calls fail or succeed but never hang while Redis goes down and up 20 times, and work afterwards", async () => {
    const { proxy, url } = await startProxy(redisUrl, 6379);
    try {
      await withStores({ database: "sqlite::memory:", keyValue: url }, async (app) => {
        const store = app.get(KeyValue);
        const key = uniqueKey("flap");
        await store.set(key, 1, { ttl: 60 });
        for (let flap = 0; flap < 20; flap++) {
          await proxy.become("refused");
          const results = await Promise.all(Array.from({ length: 20 }, () => settle(store.get(key))));
          for (const { error } of results) assert.ok(error instanceof StoreError);
          await proxy.become("none");
          if (flap % 5 === 4) await recovered(() => store.get(key));
        }
        assert.equal(await recovered(() => store.get(key)), 1);
        await store.delete(key);
      });
    } finally {
      await proxy.stop();
    }
  });
}
