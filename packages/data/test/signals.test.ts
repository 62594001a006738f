import assert from "node:assert/strict";
import { tracingChannel } from "node:diagnostics_channel";
import { test } from "node:test";
import { api, defineModule } from "@tenon/core";
import type { Signal } from "@tenon/core/platform";
import { createTestApp } from "@tenon/core/testing";
import { Database, type DataOptions, dataModule, KeyValue, type RedisSignal, type SqlSignal, sql } from "@tenon/data";
import { isPooled, patientRedis, services, withPostgres } from "./support/services.ts";

const sqlSignal: Signal<SqlSignal> = tracingChannel("tenon.sql");
const redisSignal: Signal<RedisSignal> = tracingChannel("tenon.redis");

interface Schema {
  signal_notes: { id: number; text: string };
}

/** What an application does with its stores, as signals. */
async function record(options: DataOptions): Promise<string[]> {
  const seen: string[] = [];
  const onSql = ({ database, sql: text, rows, error }: SqlSignal) => {
    if (!/signal_notes|^begin|^start|^commit|^rollback/.test(text)) return;
    const words = text.replaceAll('"', "").split(/\s+/).slice(0, 3).join(" ");
    seen.push(`${database}: ${words} ${error === undefined ? rows : "failed"}`);
  };
  const onRedis = ({ command, keys }: RedisSignal) => void seen.push(`redis: ${command} ${keys}`);
  const data = dataModule({ ...options, migrateOnStart: false });
  const app = await createTestApp(defineModule({ name: "app", imports: [data], exports: [data] }), api());
  await app.start();
  const db = app.get(Database<Schema>);
  await sql`drop table if exists signal_notes`.execute(db);
  sqlSignal.subscribe({ asyncEnd: onSql });
  redisSignal.subscribe({ asyncEnd: onRedis });
  try {
    await sql`create table signal_notes (id integer primary key, text text)`.execute(db);
    await db.insertInto("signal_notes").values({ id: 1, text: "secret" }).execute();
    await assert.rejects(db.insertInto("signal_notes").values({ id: 1, text: "again" }).execute());
    await db.executeQuery(db.selectFrom("signal_notes").selectAll().compile());
    await db
      .transaction()
      .execute((transaction) => transaction.updateTable("signal_notes").set({ text: "x" }).execute());
    await assert.rejects(
      db.transaction().execute(async () => {
        throw new Error("stop");
      }),
      /stop/,
    );
    for await (const { id } of db.selectFrom("signal_notes").select("id").stream()) assert.equal(id, 1);
    if (options.keyValue !== undefined) await app.get(KeyValue).set("signal-key", "secret");
  } finally {
    sqlSignal.unsubscribe({ asyncEnd: onSql });
    redisSignal.unsubscribe({ asyncEnd: onRedis });
    await sql`drop table signal_notes`.execute(db);
    await app.stop();
  }
  return seen;
}

test("each statement on SQLite is published once, with its rows", async () => {
  assert.deepEqual(await record({ database: "sqlite::memory:" }), [
    "sqlite: create table signal_notes 0",
    "sqlite: insert into signal_notes 1",
    "sqlite: insert into signal_notes failed",
    "sqlite: select * from 1",
    "sqlite: begin immediate 0",
    "sqlite: update signal_notes set 1",
    "sqlite: commit 0",
    "sqlite: begin immediate 0",
    "sqlite: rollback 0",
    "sqlite: select id from 1",
  ]);
});

test("each statement on PostgreSQL is published once, with its rows", { skip: services.postgres === undefined }, () =>
  withPostgres(async (database) => {
    const begin = isPooled ? "start transaction; set" : "start transaction";
    assert.deepEqual(await record({ database }), [
      "postgres: create table signal_notes 0",
      "postgres: insert into signal_notes 1",
      "postgres: insert into signal_notes failed",
      "postgres: select * from 1",
      `postgres: ${begin} 0`,
      "postgres: update signal_notes set 1",
      "postgres: commit 0",
      `postgres: ${begin} 0`,
      "postgres: rollback 0",
      "postgres: select id from 1",
    ]);
  }),
);

test("each command of Redis is published, without its arguments", { skip: services.redis === undefined }, async () => {
  const seen = await record({ database: "sqlite::memory:", keyValue: services.redis ?? "", redis: patientRedis });
  assert.ok(seen.includes("redis: SET 2"), seen.join("\n"));
});
