import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import type { JsonValue } from "@tenon/core";
import { autoIncrement, Database, type Generated, isUuid, now, sql } from "@tenon/data";
import { databases, withStores } from "../support/stores.ts";

interface Schema {
  tasks: {
    id: Generated<number>;
    title: string;
    done: Generated<boolean>;
    count: Generated<number>;
    created_at: Generated<string>;
  };
}

async function createTasks(db: Database<Schema>): Promise<void> {
  await db.schema
    .createTable("tasks")
    .addColumn("id", "bigint", autoIncrement)
    .addColumn("title", "text", (column) => column.notNull().unique())
    .addColumn("done", "boolean", (column) => column.notNull().defaultTo(false))
    .addColumn("count", "integer", (column) => column.notNull().defaultTo(1))
    .addColumn("created_at", "text", (column) => column.notNull().defaultTo(now()))
    .execute();
}

for (const adapter of databases) {
  describe(`columns on ${adapter.name}`, () => {
    const run = (name: string, body: (db: Database<Schema>) => Promise<void>) =>
      test(name, () =>
        adapter.with((options) =>
          withStores(options, async (app) => {
            const db = app.get(Database<Schema>);
            await createTasks(db);
            await body(db);
          }),
        ),
      );

    run("count ids up, and never use one twice", async (db) => {
      const insert = async (title: string) =>
        (await db.insertInto("tasks").values({ title }).returning("id").executeTakeFirstOrThrow()).id;
      assert.equal(await insert("a"), 1);
      assert.equal(await insert("b"), 2);
      await db.deleteFrom("tasks").where("id", "=", 2).execute();
      assert.equal(await insert("c"), 3);
      await db.insertInto("tasks").values({ id: 40, title: "given" }).execute();
      assert.equal((await db.selectFrom("tasks").select("id").where("title", "=", "given").execute())[0]?.id, 40);
    });

    run("write the current time as ISO text", async (db) => {
      const before = new Date().toISOString();
      const [row] = await db.insertInto("tasks").values({ title: "a" }).returning("created_at").execute();
      const after = new Date().toISOString();
      assert.match(row?.created_at ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.ok(before <= (row?.created_at ?? "") && (row?.created_at ?? "") <= after);
      await db.updateTable("tasks").set({ created_at: "2001-01-01T00:00:00.000Z" }).execute();
      await db.updateTable("tasks").set({ created_at: now() }).where("created_at", "<", now()).execute();
      const { created_at } = await db.selectFrom("tasks").select("created_at").executeTakeFirstOrThrow();
      assert.ok(created_at >= before);
    });

    run("find no row by a number that is too large for the column", async (db) => {
      await db.insertInto("tasks").values({ title: "a", count: 7 }).execute();
      const find = (count: number) => db.selectFrom("tasks").select("title").where("count", "=", count).execute();
      assert.deepEqual(await find(7), [{ title: "a" }]);
      assert.deepEqual(await find(2 ** 31), []);
      assert.deepEqual(await find(-(2 ** 31) - 1), []);
      const among = db.selectFrom("tasks").select("title").where("tasks.count", "in", [7, Number.MAX_SAFE_INTEGER]);
      assert.deepEqual(await among.execute(), [{ title: "a" }]);
      const { numDeletedRows } = await db
        .deleteFrom("tasks")
        .where("count", "=", 2 ** 31)
        .executeTakeFirstOrThrow();
      assert.equal(numDeletedRows, 0n);
    });

    run("write a date as the same ISO text", async (db) => {
      const date = new Date("2026-11-17T04:16:31.500+02:00");
      await sql`insert into tasks (title, created_at) values ('a', ${date})`.execute(db);
      const { created_at } = await db.selectFrom("tasks").select("created_at").executeTakeFirstOrThrow();
      assert.equal(created_at, "2026-11-17T02:16:31.500Z");
    });

    run("read booleans as booleans, also by default and in returning", async (db) => {
      const insert = (values: { title: string; done?: boolean }) =>
        db.insertInto("tasks").values(values).returning("done").executeTakeFirstOrThrow();
      assert.deepEqual(await insert({ title: "a" }), { done: false });
      assert.deepEqual(await insert({ title: "b", done: true }), { done: true });
      const open = await db.selectFrom("tasks as t").select("t.done as closed").where("done", "=", false).execute();
      assert.deepEqual(open, [{ closed: false }]);
    });

    run("insert or update with onConflict", async (db) => {
      const count = (title: string) =>
        db
          .insertInto("tasks")
          .values({ title, done: true })
          .onConflict((conflict) =>
            conflict
              .column("title")
              .doUpdateSet((eb) => ({ count: eb("tasks.count", "+", 1), done: eb.ref("excluded.done") })),
          )
          .returning(["count", "done"])
          .executeTakeFirstOrThrow();
      assert.deepEqual(await count("a"), { count: 1, done: true });
      assert.deepEqual(await count("a"), { count: 2, done: true });
      const ignored = await db
        .insertInto("tasks")
        .values([{ title: "a" }, { title: "b" }])
        .onConflict((conflict) => conflict.column("title").doNothing())
        .executeTakeFirstOrThrow();
      assert.equal(ignored.numInsertedOrUpdatedRows, 1n);
      assert.equal((await db.selectFrom("tasks").select("id").execute()).length, 2);
    });
  });
}

interface Kinds {
  kinds: { id: string; seen_at: string; due_on: string; amount: string; extra: JsonValue };
}

/** The columns that SQLite has as text, with values that a number or a Date would change. */
for (const adapter of databases) {
  test(`columns of every type give the values that were written, on ${adapter.name}`, () =>
    adapter.with((options) =>
      withStores(options, async (app) => {
        const db = app.get(Database<Kinds>);
        await db.schema
          .createTable("kinds")
          .addColumn("id", "uuid", (column) => column.primaryKey())
          .addColumn("seen_at", "timestamptz(3)", (column) => column.notNull().defaultTo(now()))
          .addColumn("due_on", "date")
          .addColumn("amount", "numeric")
          .addColumn("extra", "jsonb")
          .execute();
        const values: readonly Omit<Kinds["kinds"], "id">[] = [
          { seen_at: "2026-11-17T02:16:31.500Z", due_on: "2026-11-17", amount: "9007199254740993.10", extra: [] },
          { seen_at: "1899-12-31T23:59:59.999Z", due_on: "1899-12-31", amount: "-0.000000000000000000001", extra: "1" },
          { seen_at: "0001-01-01T00:00:00.000Z", due_on: "0001-01-01", amount: "0", extra: 1e18 },
          { seen_at: "9999-12-31T23:59:59.000Z", due_on: "9999-12-31", amount: "1.50", extra: { b: [null], a: true } },
        ];
        const rows = values.map((row) => ({ id: randomUUID(), ...row }));
        const write = (row: Kinds["kinds"]) => ({ ...row, extra: JSON.stringify(row.extra) });
        assert.deepEqual(await db.insertInto("kinds").values(rows.map(write)).returningAll().execute(), rows);
        const ids = [rows[0]?.id ?? "", rows[2]?.id ?? "", "no-uuid", randomUUID().toUpperCase()].filter(isUuid);
        const found = await db.selectFrom("kinds").selectAll().where("id", "in", ids).orderBy("amount").execute();
        assert.deepEqual(found, [rows[2], rows[0]]);
        const last = await db
          .selectFrom("kinds as k")
          .select(["k.extra as more", "k.seen_at"])
          .where("seen_at", ">", "9999-01-01T00:00:00.000Z")
          .execute();
        assert.deepEqual(last, [{ more: { b: [null], a: true }, seen_at: "9999-12-31T23:59:59.000Z" }]);
        const before = new Date().toISOString();
        await sql`insert into kinds (id) values (${randomUUID()})`.execute(db);
        const latest = await db.selectFrom("kinds").select("seen_at").where("due_on", "is", null).execute();
        assert.deepEqual(
          latest.map(({ seen_at }) => seen_at >= before),
          [true],
        );
      }),
    ));
}

for (const adapter of databases.filter(({ name }) => name === "PostgreSQL")) {
  test("times are ISO text in UTC, whatever the time zones of the process and of the session are", async () => {
    const zone = process.env.TZ;
    process.env.TZ = "Asia/Kathmandu";
    try {
      await adapter.with((options) =>
        withStores(options, async (app) => {
          const time = "2026-07-01T12:00:00.250Z";
          const early = "1850-07-01T00:00:00.000Z";
          for (const session of ["UTC", "America/St_Johns", "Europe/Amsterdam"]) {
            const read = await app
              .get(Database)
              .transaction()
              .execute(async (transaction) => {
                await sql`set local time zone ${sql.lit(session)}`.execute(transaction);
                return sql`
                  select ${new Date(time)}::timestamp as plain, ${new Date(time)}::timestamptz as zoned,
                    ${early}::timestamptz as early, '2026-07-01 12:00:00.123456Z'::timestamptz as exact,
                    '2026-07-01'::date as day, 'infinity'::timestamptz as never`.execute(transaction);
              });
            const exact = "2026-07-01T12:00:00.123456Z";
            assert.deepEqual(read.rows, [
              { plain: time, zoned: time, early, exact, day: "2026-07-01", never: "infinity" },
            ]);
          }
        }),
      );
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
}
