import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Database, dataModule, sql, type Transaction } from "@tenon/data";
import { services, withPostgres } from "../support/services.ts";

const databases = [
  { name: "SQLite", run: (body: (url: string) => Promise<void>) => body("sqlite::memory:") },
  ...(services.postgres === undefined ? [] : [{ name: "PostgreSQL", run: withPostgres<void> }]),
];

const late = /has ended, so it was not run\. Is an `await` missing\?|Transaction is already (?:committed|rolled back)/;

for (const { name, run } of databases) {
  test(`a statement whose await is missing does not outlive its transaction (${name})`, async () => {
    await run(async (url) => {
      const data = dataModule({ database: url });
      const app = await createTestApp(defineModule({ name: "test", imports: [data], declarations: [] }), api());
      const db = app.get(Database);
      await sql`create table entries (id integer)`.execute(db);
      const started: Promise<unknown>[] = [];
      /** As a function that awaits something else first, for so many steps. */
      const insertLater = async (transaction: Transaction<unknown>, steps: number) => {
        for (let step = 0; step < steps; step++) await undefined;
        await sql`insert into entries values (${steps})`.execute(transaction);
      };
      for (let steps = 0; steps < 60; steps++) {
        const rolledBack = db.transaction().execute(async (transaction) => {
          await sql`select 1`.execute(transaction);
          started.push(insertLater(transaction, steps));
          throw new Error("no");
        });
        await assert.rejects(rolledBack, /^Error: no$/);
        await Promise.allSettled(started);
      }
      assert.deepEqual((await sql`select * from entries`.execute(db)).rows, []);
      started.length = 0;
      for (let steps = 0; steps < 60; steps++) {
        await db.transaction().execute(async (transaction) => {
          await sql`select 1`.execute(transaction);
          started.push(insertLater(transaction, steps));
        });
        await Promise.allSettled(started);
      }
      const results = await Promise.allSettled(started);
      const refused = results.filter((result) => result.status === "rejected");
      assert.ok(refused.length > 0);
      for (const { reason } of refused) assert.match(String(reason), late);
      const { rows } = await sql`select * from entries`.execute(db);
      assert.equal(rows.length, results.length - refused.length);
      await app.stop();
    });
  });

  test(`a connection of its own may go on after a transaction (${name})`, async () => {
    await run(async (url) => {
      const data = dataModule({ database: url });
      const app = await createTestApp(defineModule({ name: "test", imports: [data], declarations: [] }), api());
      await app
        .get(Database)
        .connection()
        .execute(async (connection) => {
          await sql`create table entries (id integer)`.execute(connection);
          for (let round = 0; round < 2; round++) {
            await connection
              .transaction()
              .execute((transaction) => sql`insert into entries values (1)`.execute(transaction));
            await sql`insert into entries values (2)`.execute(connection);
          }
          assert.equal((await sql`select * from entries`.execute(connection)).rows.length, 4);
        });
      await app.stop();
    });
  });
}
