import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { afterCommit, Database, dataModule } from "@tenon/data";
import { services, withPostgres } from "../support/services.ts";

const databases = [
  { name: "SQLite", run: (body: (url: string) => Promise<void>) => body("sqlite::memory:") },
  ...(services.postgres === undefined ? [] : [{ name: "PostgreSQL", run: withPostgres<void> }]),
];

for (const { name, run } of databases) {
  test(`a function runs after the commit, in order, and never after a rollback (${name})`, async () => {
    await run(async (url) => {
      const data = dataModule({ database: url });
      const app = await createTestApp(defineModule({ name: "test", imports: [data], declarations: [] }), api());
      const db = app.get(Database);
      const ran: string[] = [];
      await assert.rejects(
        db.transaction().execute(async (transaction) => {
          await afterCommit(transaction, () => ran.push("rolled back"));
          throw new Error("no");
        }),
      );
      await db.transaction().execute(async (transaction) => {
        await afterCommit(transaction, async () => {
          await Promise.resolve();
          ran.push("first");
        });
        await afterCommit(transaction, () => {
          ran.push("second");
          throw new Error("the transaction is committed: no caller can handle this");
        });
        await afterCommit(transaction, () => ran.push("third"));
        assert.deepEqual(ran, []);
      });
      assert.deepEqual(ran, ["first", "second", "third"]);
      const outer = await db.startTransaction().execute();
      await afterCommit(outer, () => ran.push("outer"));
      const inner = await outer.savepoint("inner").execute();
      await afterCommit(inner, () => ran.push("inner"));
      await (await inner.rollbackToSavepoint("inner").execute()).commit().execute();
      await db.transaction().execute(async () => {});
      assert.deepEqual(ran.slice(3), ["outer"]);
      await assert.rejects(
        afterCommit(db, () => {}),
        /afterCommit\(\) takes a transaction/,
      );
      await app.stop();
    });
  });
}
