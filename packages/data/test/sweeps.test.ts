import assert from "node:assert/strict";
import { test } from "node:test";
import { Database, Health, KeyValue, Sweeps, sql } from "@tenon/data";
import { LogLines } from "../../core/test/support/log-lines.ts";
import { until } from "../../core/test/support/until.ts";
import { databases, withStores } from "./support/stores.ts";

async function createTokens(db: Database, count: number, expiry: string): Promise<void> {
  await sql`create table if not exists tokens (hash text primary key, expires_at text not null)`.execute(db);
  const start = Number((await countOf(db)) ?? 0);
  const numbers = sql`with recursive n (i) as (
    select cast(${start} as integer) union all select i + 1 from n where i + 1 < ${start + count})`;
  await sql`${numbers} insert into tokens (hash, expires_at)
    select 'token ' || i, cast(${expiry} as text) from n`.execute(db);
}

async function countOf(db: Database, table = "tokens"): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db);
  return Number(rows[0]?.count);
}

for (const adapter of databases) {
  test(`a sweep deletes the rows whose time is over, and others run between its batches (${adapter.name})`, () =>
    adapter.with((options) =>
      withStores(options, async (app) => {
        const db = app.get(Database);
        await createTokens(db, 1100, "2026-01-01T00:00:00.000Z");
        await createTokens(db, 2, "2026-01-01T00:00:00.001Z");
        app.get(Sweeps).addTable("tokens", "hash", "expires_at", () => "2026-01-01T00:00:00.000Z");
        let turns = 0;
        const turn = () => {
          turns++;
          next = setImmediate(turn);
        };
        let next = setImmediate(turn);
        await app.get(Sweeps).run();
        clearImmediate(next);
        assert.ok(turns >= 3, `the event loop turned ${turns} times`);
        assert.equal(await countOf(db), 2);
      }),
    ));
}

for (const adapter of databases.filter(({ name }) => name === "PostgreSQL")) {
  test("PostgreSQL: a sweep does not wait for rows that another one has locked", () =>
    adapter.with((options) =>
      withStores(options, async (app) => {
        const db = app.get(Database);
        await createTokens(db, 3, "2026-01-01T00:00:00.000Z");
        app.get(Sweeps).addTable("tokens", "hash", "expires_at", () => "2026-01-01T00:00:00.000Z");
        const keyValue = app.get(KeyValue);
        for (const key of ["a", "b", "c"]) await keyValue.set(key, 1, { ttl: 60 });
        await sql`update tenon_key_value set expires_at = 0`.execute(db);
        await db.transaction().execute(async (transaction) => {
          await sql`select 1 from tokens where hash = 'token 1' for update`.execute(transaction);
          await sql`select 1 from tenon_key_value where key = 'b' for update`.execute(transaction);
          await app.get(Sweeps).run();
          assert.deepEqual([await countOf(db), await countOf(db, "tenon_key_value")], [1, 1]);
        });
        await app.get(Sweeps).run();
        assert.deepEqual([await countOf(db), await countOf(db, "tenon_key_value")], [0, 0]);
      }),
    ));
}

test("a sweep that fails three times in a row is logged once, and the application is not ready until it works", async () => {
  const log = new LogLines();
  await withStores(
    { database: "sqlite::memory:" },
    async (app) => {
      const db = app.get(Database);
      const sweeps = app.get(Sweeps);
      sweeps.addTable("tokens", "hash", "expires_at", () => "9");
      const state = async () => {
        await sweeps.run();
        return [log.messages("error").length, (await app.get(Health).report()).status];
      };
      assert.deepEqual(await state(), [0, "ok"]);
      assert.deepEqual(await state(), [0, "ok"]);
      assert.deepEqual(await state(), [1, "unavailable"]);
      assert.deepEqual(await state(), [1, "unavailable"]);
      const { checks } = await app.get(Health).report();
      assert.deepEqual(checks, { database: "ok", keyValue: "ok", "sweep tokens": "unavailable" });
      const message = "expired rows of tokens cannot be deleted: 3 sweeps in a row have failed";
      assert.deepEqual(log.messages("error"), [message]);
      await createTokens(db, 1, "1");
      assert.deepEqual(await state(), [1, "ok"]);
      assert.equal(await countOf(db), 0);
    },
    log.options,
  );
});

test("an application sweeps every minute, until it stops", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let sweeps = 0;
  await withStores({ database: "sqlite::memory:" }, async (app) => {
    app.get(Sweeps).add("counted", async () => {
      sweeps++;
      return 0;
    });
    for (const expected of [1, 2]) {
      t.mock.timers.tick(60_000);
      await until(() => sweeps === expected, `sweep ${expected}`);
      await new Promise(setImmediate); // the sweep ends
    }
  });
  t.mock.timers.tick(60_000);
  await new Promise(setImmediate);
  assert.equal(sweeps, 2);
});
