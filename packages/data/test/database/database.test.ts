import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ColumnType, Database, isUniqueViolation, StoreError, sql } from "@tenon/data";
import { databases, withStores } from "../support/stores.ts";

interface Schema {
  notes: {
    id: string;
    title: string;
    done: ColumnType<boolean, boolean | undefined, boolean>;
    score: number | null;
    parent_id: string | null;
  };
}

async function createNotes(db: Database<Schema>): Promise<void> {
  await db.schema
    .createTable("notes")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("title", "text", (column) => column.notNull().unique())
    .addColumn("done", "boolean", (column) => column.notNull().defaultTo(false))
    .addColumn("score", "integer", (column) => column.check(sql`score >= 0`))
    .addColumn("parent_id", "text", (column) => column.references("notes.id"))
    .execute();
}

for (const adapter of databases) {
  describe(`database on ${adapter.name}`, () => {
    const run = (name: string, body: (db: Database<Schema>) => Promise<void>) =>
      test(name, () =>
        adapter.with((options) =>
          withStores(options, async (app) => {
            const db = app.get(Database<Schema>);
            await createNotes(db);
            await body(db);
          }),
        ),
      );
    const note = (id: string, rest = {}) => ({ id, title: `title ${id}`, score: null, parent_id: null, ...rest });

    run("inserts, reads, updates and deletes", async (db) => {
      await db
        .insertInto("notes")
        .values(note("a", { score: 5 }))
        .execute();
      const read = await db.selectFrom("notes").selectAll().where("id", "=", "a").executeTakeFirst();
      assert.deepEqual(read, { id: "a", title: "title a", done: false, score: 5, parent_id: null });
      const updated = await db.updateTable("notes").set({ done: true }).where("id", "=", "a").executeTakeFirst();
      assert.equal(updated.numUpdatedRows, 1n);
      const { done } = await db.selectFrom("notes").select("done").executeTakeFirstOrThrow();
      assert.equal(done, true);
      const deleted = await db.deleteFrom("notes").where("id", "=", "a").executeTakeFirst();
      assert.equal(deleted.numDeletedRows, 1n);
      assert.equal(await db.selectFrom("notes").selectAll().executeTakeFirst(), undefined);
    });

    run("returns booleans and counts in the same form on every database", async (db) => {
      const inserted = await db
        .insertInto("notes")
        .values(note("a", { done: true }))
        .returningAll()
        .executeTakeFirst();
      assert.equal(inserted?.done, true);
      const { count } = await db
        .selectFrom("notes")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where("done", "=", true)
        .executeTakeFirstOrThrow();
      assert.equal(count, 1);
    });

    run("translates violated constraints and names their kind", async (db) => {
      await db.insertInto("notes").values(note("a")).execute();
      const cases = [
        [note("a", { title: "other" }), "unique", ["id"]],
        [note("b", { title: "title a" }), "unique", ["title"]],
        [note("b", { score: -1 }), "check", []],
        [note("b", { parent_id: "unknown" }), "foreign key", []],
        [note("b", { title: null }), "not null", ["title"]],
      ] as const;
      for (const [values, constraint, columns] of cases) {
        await assert.rejects(db.insertInto("notes").values(values).execute(), (error) => {
          assert.ok(error instanceof StoreError);
          assert.equal(error.message, "constraint violation");
          assert.equal(error.code, "CONSTRAINT");
          assert.equal(error.constraint, constraint);
          assert.deepEqual(error.columns, columns);
          assert.equal(error.status, 500);
          assert.equal(isUniqueViolation(error), constraint === "unique");
          assert.ok(error.cause instanceof Error, "the driver's error is kept for the log");
          const failure: unknown = error;
          if (isUniqueViolation(failure)) failure.columns satisfies readonly string[]; // narrowed from unknown
          return true;
        });
      }
    });

    run("names the statement and the place that built it, without a copy for clients", async (db) => {
      async function read() {
        return sql`select 1 from lost where id = ${1}`.execute(db); // without await: the stack would end here
      }
      await assert.rejects(read(), (error) => {
        assert.ok(error instanceof StoreError);
        assert.match(error.sql ?? "", /^select 1 from lost where id = (?:\?|\$1)$/);
        assert.deepEqual(error.development, { sql: error.sql });
        assert.match(error.stack ?? "", /^StoreError: store failure\n[\s\S]*at read \(.*database\.test\.ts/);
        assert.doesNotMatch(JSON.stringify({ ...error }), /lost/);
        return true;
      });
    });

    run("names every column of a violated unique index, but none of an index on expressions", async (db) => {
      await sql`create table "my.accounts" (tenant text, "E-mail ""1""" text, name text)`.execute(db);
      await sql`create unique index one on "my.accounts" (tenant, "E-mail ""1""")`.execute(db);
      await sql`create unique index two on "my.accounts" (lower(name))`.execute(db);
      const insert = (tenant: string, email: string, name: string) =>
        sql`insert into "my.accounts" values (${tenant}, ${email}, ${name})`.execute(db);
      await insert("a", ")=(", "Ada");
      await assert.rejects(insert("a", ")=(", "Grace"), { constraint: "unique", columns: ["tenant", 'E-mail "1"'] });
      await assert.rejects(insert("b", "b", "ADA"), { constraint: "unique", columns: [] });
    });

    run("fails a broken statement with the store's message only", async (db) => {
      await assert.rejects(sql`select * from nowhere`.execute(db), (error) => {
        assert.ok(error instanceof StoreError && error.cause instanceof Error);
        assert.deepEqual([error.message, error.code], ["store failure", "FAILED"]);
        const cure =
          "If a migration is running, wait for its end. If not, run `tenon migrate up`, or add one that creates it.";
        assert.equal(error.cause.message, `The table nowhere does not exist. ${cure}`);
        return true;
      });
    });

    run("commits a transaction as a whole", async (db) => {
      const count = await db.transaction().execute(async (transaction) => {
        await transaction.insertInto("notes").values(note("a")).execute();
        await transaction
          .insertInto("notes")
          .values(note("b", { parent_id: "a" }))
          .execute();
        return (await transaction.selectFrom("notes").select("id").execute()).length;
      });
      assert.equal(count, 2);
      assert.equal((await db.selectFrom("notes").select("id").execute()).length, 2);
    });

    run("rolls a failed transaction back as a whole, and works afterwards", async (db) => {
      const failing = db.transaction().execute(async (transaction) => {
        await transaction.insertInto("notes").values(note("a")).execute();
        await transaction.insertInto("notes").values(note("a")).execute();
      });
      await assert.rejects(failing, { message: "constraint violation" });
      assert.equal((await db.selectFrom("notes").select("id").execute()).length, 0);
      await db.transaction().execute((transaction) => transaction.insertInto("notes").values(note("b")).execute());
      assert.equal((await db.selectFrom("notes").select("id").execute()).length, 1);
    });

    run("isolates concurrent writes from a transaction, and the transaction from them", async (db) => {
      const inserted = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      const transaction = db.transaction().execute(async (inside) => {
        await inside.insertInto("notes").values(note("a")).execute();
        inserted.resolve();
        await held.promise;
        throw new Error("undo");
      });
      await inserted.promise;
      const outside = db.insertInto("notes").values(note("b")).execute();
      if (db.kind === "postgres") await outside; // on SQLite it waits for the transaction
      held.resolve();
      await assert.rejects(transaction, { message: "undo" });
      await outside;
      assert.deepEqual(await db.selectFrom("notes").select("id").execute(), [{ id: "b" }]);
    });

    run("runs twenty concurrent transactions without losing an update", async (db) => {
      await db
        .insertInto("notes")
        .values(note("a", { score: 0 }))
        .execute();
      await Promise.all(
        Array.from({ length: 20 }, () =>
          db.transaction().execute(async (transaction) => {
            const { score } = await transaction
              .selectFrom("notes")
              .select("score")
              .where("id", "=", "a")
              .$if(db.kind === "postgres", (query) => query.forUpdate())
              .executeTakeFirstOrThrow();
            await transaction
              .updateTable("notes")
              .set({ score: (score ?? 0) + 1 })
              .execute();
          }),
        ),
      );
      assert.deepEqual(await db.selectFrom("notes").select("score").execute(), [{ score: 20 }]);
    });

    run("rolls back to a savepoint, and releases one", async (db) => {
      const transaction = await db.startTransaction().execute();
      await transaction.insertInto("notes").values(note("a")).execute();
      const first = await transaction.savepoint('odd "name').execute();
      await first.insertInto("notes").values(note("b")).execute();
      const back = await first.rollbackToSavepoint('odd "name').execute();
      const second = await back.savepoint("second").execute();
      await second.insertInto("notes").values(note("c")).execute();
      await (await second.releaseSavepoint("second").execute()).commit().execute();
      assert.deepEqual(await db.selectFrom("notes").select("id").orderBy("id").execute(), [{ id: "a" }, { id: "c" }]);
    });

    run("reads in a transaction of its own, while another one writes", async (db) => {
      await db.insertInto("notes").values(note("a")).execute();
      const ids = await db
        .transaction()
        .setAccessMode("read only")
        .execute((transaction) => transaction.selectFrom("notes").select("id").execute());
      assert.deepEqual(ids, [{ id: "a" }]);
    });

    run("streams rows", async (db) => {
      await db
        .insertInto("notes")
        .values(Array.from({ length: 30 }, (_, index) => note(`n${index}`)))
        .execute();
      const ids: string[] = [];
      for await (const row of db.selectFrom("notes").select("id").orderBy("id").stream()) ids.push(row.id);
      assert.equal(ids.length, 30);
    });

    run("a stream of rows lets other work run between them", async (db) => {
      const ids = Array.from({ length: 300 }, (_, index) => note(`n${index}`));
      await db.insertInto("notes").values(ids).execute();
      let first = true;
      let turned = false;
      for await (const _ of db.selectFrom("notes").select("id").stream()) {
        if (first) setImmediate(() => (turned = true));
        first = false;
      }
      assert.ok(turned, "all rows were read in one turn of the event loop");
    });

    run("sees a changed table at once, with cached statements", async (db) => {
      await db.insertInto("notes").values(note("a")).execute();
      await db.selectFrom("notes").selectAll().execute();
      await sql`alter table notes add column extra text default 'new'`.execute(db);
      const [row] = await db.selectFrom("notes").selectAll().execute();
      assert.equal((row as { extra?: string } | undefined)?.extra, "new"); // a column that the type does not know
    });
  });
}
