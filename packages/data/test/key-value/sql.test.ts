import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Clock } from "@tenon/core";
import { FakeClock } from "@tenon/core/testing";
import { PostgresPool } from "../../src/database/postgres-pool.ts";
import { SqliteFile } from "../../src/database/sqlite-file.ts";
import { SqlKeyValue } from "../../src/key-value/sql.ts";
import { services, withFolder, withPostgres } from "../support/services.ts";

async function withClock(
  body: (store: SqlKeyValue, clock: FakeClock, count: () => Promise<number>) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const file = new SqliteFile(join(folder, "kv.db"));
    const clock = new FakeClock();
    const store = new SqlKeyValue(
      { kind: "sqlite", open: () => file.open(), execute: (sql, parameters) => file.execute(sql, parameters) },
      { clock },
    );
    await store.onStart();
    try {
      await body(store, clock, async () => {
        const { rows } = await file.execute("select count(*) as count from tenon_key_value", []);
        return Number(rows[0]?.count);
      });
    } finally {
      await file.close();
    }
  });
}

test("a key in an SQL store expires at the millisecond of its time to live", () =>
  withClock(async (store, clock) => {
    await store.set("a", 1, { ttl: 10 });
    clock.advance("9999ms");
    assert.equal(await store.get("a"), 1);
    clock.advance("1ms");
    assert.equal(await store.get("a"), undefined);
    assert.equal(await store.take("a"), undefined);
  }));

test("reading an expired key deletes its row only", () =>
  withClock(async (store, clock, count) => {
    await store.set("old", 1, { ttl: 10 });
    await store.set("other", 1, { ttl: 10 });
    clock.advance("10000ms");
    assert.equal(await store.get("old"), undefined);
    assert.equal(await count(), 1);
  }));

test("a sweep deletes the expired rows only, in batches", () =>
  withClock(async (store, clock, count) => {
    for (let index = 0; index < 1100; index++) await store.set(`old:${index}`, index, { ttl: 1 });
    await store.set("young", 1, { ttl: 60 });
    await store.set("for ever", 1);
    clock.advance("2000ms");
    assert.equal(await count(), 1102, "a write does not delete expired rows");
    let turns = 0;
    const turn = () => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    assert.equal(await store.sweep(), 1100);
    clearImmediate(next);
    assert.ok(turns >= 3, `the event loop turned ${turns} times`);
    assert.equal(await count(), 2);
    assert.equal(await store.sweep(), 0);
  }));

test("a counter restarts at the millisecond of its expiry", () =>
  withClock(async (store, clock) => {
    assert.equal(await store.increment("hits", { ttl: 60 }), 1);
    clock.advance("59999ms");
    assert.equal(await store.increment("hits", { ttl: 60 }), 2);
    clock.advance("1ms");
    assert.equal(await store.increment("hits", { ttl: 60 }), 1);
  }));

test(
  "PostgreSQL expires keys by its own clock, also for an instance that is an hour ahead",
  {
    skip: services.postgres === undefined,
  },
  () =>
    withPostgres(async (url) => {
      const pool = new PostgresPool(url);
      const createStore = (clock: Clock) =>
        new SqlKeyValue(
          {
            kind: "postgres",
            open: () => pool.open(),
            execute: (sql, parameters) => {
              let number = 0;
              return pool.query(
                sql.replaceAll("?", () => `$${++number}`),
                parameters,
              );
            },
          },
          { clock },
        );
      const right = createStore(new Clock());
      const ahead = createStore(new FakeClock(Date.now() + 3_600_000));
      await right.onStart();
      try {
        await right.set("a session", 1, { ttl: 600 });
        assert.equal(await ahead.get("a session"), 1);
        assert.equal(await right.increment("failures", { ttl: 600 }), 1);
        assert.equal(await ahead.increment("failures", { ttl: 600 }), 2);
        await ahead.set("its own", 1, { ttl: 600 });
        assert.ok(((await right.ttl("its own")) ?? 0) <= 600);
        assert.equal(await ahead.sweep(), 0);
        assert.equal(await ahead.take("a session"), 1);
      } finally {
        await pool.close();
      }
    }),
);
