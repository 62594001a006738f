import assert from "node:assert/strict";
import { tracingChannel } from "node:diagnostics_channel";
import { test } from "node:test";
import { api, defineModule } from "@tenon/core";
import type { Tracing } from "@tenon/core/platform";
import { createTestApp } from "@tenon/core/testing";
import { Database, type DataOptions, dataModule, KeyValue, sql, type TracedRedis, type TracedSql } from "@tenon/data";
import { isPooled, patientRedis, services, withPostgres } from "./support/services.ts";

const sqlTracing: Tracing<TracedSql> = tracingChannel("tenon.sql");
const redisTracing: Tracing<TracedRedis> = tracingChannel("tenon.redis");

interface Schema {
  traced_notes: { id: number; text: string };
}

/** What an application does with its stores, as traced operations. */
async function record(options: DataOptions): Promise<string[]> {
  const seen: string[] = [];
  const onSql = ({ database, sql: text, rows, error }: TracedSql) => {
    if (!/traced_notes|^begin|^start|^commit|^rollback/.test(text)) return;
    const words = text.replaceAll('"', "").split(/\s+/).slice(0, 3).join(" ");
    seen.push(`${database}: ${words} ${error === undefined ? rows : "failed"}`);
  };
  const onRedis = ({ command, keys }: TracedRedis) => void seen.push(`redis: ${command} ${keys}`);
  const data = dataModule({ ...options, migrateOnStart: false });
  const app = await createTestApp(defineModule({ name: "app", imports: [data], exports: [data] }), api());
  await app.start();
  const db = app.get(Database<Schema>);
  await sql`drop table if exists traced_notes`.execute(db);
  sqlTracing.subscribe({ asyncEnd: onSql });
  redisTracing.subscribe({ asyncEnd: onRedis });
  try {
    await sql`create table traced_notes (id integer primary key, text text)`.execute(db);
    await db.insertInto("traced_notes").values({ id: 1, text: "secret" }).execute();
    await assert.rejects(db.insertInto("traced_notes").values({ id: 1, text: "again" }).execute());
    await db.executeQuery(db.selectFrom("traced_notes").selectAll().compile());
    await db
      .transaction()
      .execute((transaction) => transaction.updateTable("traced_notes").set({ text: "x" }).execute());
    await assert.rejects(
      db.transaction().execute(async () => {
        throw new Error("stop");
      }),
      /stop/,
    );
    for await (const { id } of db.selectFrom("traced_notes").select("id").stream()) assert.equal(id, 1);
    if (options.keyValue !== undefined) await app.get(KeyValue).set("traced-key", "secret");
  } finally {
    sqlTracing.unsubscribe({ asyncEnd: onSql });
    redisTracing.unsubscribe({ asyncEnd: onRedis });
    await sql`drop table traced_notes`.execute(db);
    await app.stop();
  }
  return seen;
}

test("each statement on SQLite is published once, with its rows", async () => {
  assert.deepEqual(await record({ database: "sqlite::memory:" }), [
    "sqlite: create table traced_notes 0",
    "sqlite: insert into traced_notes 1",
    "sqlite: insert into traced_notes failed",
    "sqlite: select * from 1",
    "sqlite: begin immediate 0",
    "sqlite: update traced_notes set 1",
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
      "postgres: create table traced_notes 0",
      "postgres: insert into traced_notes 1",
      "postgres: insert into traced_notes failed",
      "postgres: select * from 1",
      `postgres: ${begin} 0`,
      "postgres: update traced_notes set 1",
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
