import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { autoIncrement, Database, type Generated } from "@tenon/data";
import { ParseJSONResultsPlugin } from "kysely";
import * as postgres from "kysely/helpers/postgres";
import * as sqlite from "kysely/helpers/sqlite";
import { databases, withStores } from "../support/stores.ts";

interface Schema {
  users: { id: Generated<number>; name: string; active: boolean | null };
  posts: { id: Generated<number>; author_id: number; title: string; published: boolean };
  comments: { id: Generated<number>; post_id: number; author_id: number; text: string; hidden: boolean };
}

async function createBlog(db: Database<Schema>): Promise<void> {
  await db.schema
    .createTable("users")
    .addColumn("id", "integer", autoIncrement)
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("active", "boolean")
    .execute();
  await db.schema
    .createTable("posts")
    .addColumn("id", "integer", autoIncrement)
    .addColumn("author_id", "integer", (column) => column.notNull().references("users.id"))
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("published", "boolean", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("comments")
    .addColumn("id", "integer", autoIncrement)
    .addColumn("post_id", "integer", (column) => column.notNull().references("posts.id"))
    .addColumn("author_id", "integer", (column) => column.notNull().references("users.id"))
    .addColumn("text", "text", (column) => column.notNull())
    .addColumn("hidden", "boolean", (column) => column.notNull())
    .execute();
  await db
    .insertInto("users")
    .values([
      { name: "Ada", active: true },
      { name: 'Grace "G"', active: null },
    ])
    .execute();
  await db
    .insertInto("posts")
    .values([
      { author_id: 1, title: "[1]", published: true },
      { author_id: 2, title: "true", published: false },
    ])
    .execute();
  await db
    .insertInto("comments")
    .values([
      { post_id: 1, author_id: 2, text: "second", hidden: true },
      { post_id: 1, author_id: 1, text: "hello", hidden: false },
    ])
    .execute();
}

for (const adapter of databases) {
  describe(`Kysely's JSON helpers on ${adapter.name}`, () => {
    const run = (name: string, body: (db: Database<Schema>) => Promise<void>) =>
      test(name, () =>
        adapter.with((options) =>
          withStores(options, async (app) => {
            const db = app.get(Database<Schema>);
            await createBlog(db);
            await body(db);
          }),
        ),
      );
    run("return rows inside rows; booleans inside JSON are 0 and 1 on SQLite", async (db) => {
      const isSqlite = db.kind === "sqlite";
      const { jsonArrayFrom, jsonObjectFrom } = isSqlite ? sqlite : postgres;
      const rows = await (isSqlite ? db.withPlugin(new ParseJSONResultsPlugin()) : db)
        .selectFrom("posts")
        .select((eb) => [
          "posts.published",
          jsonObjectFrom(eb.selectFrom("users").select("users.name").whereRef("users.id", "=", "posts.author_id")).as(
            "author",
          ),
          jsonArrayFrom(
            eb
              .selectFrom("comments")
              .select(["comments.text", "comments.hidden"])
              .whereRef("comments.post_id", "=", "posts.id")
              .orderBy("comments.id"),
          ).as("comments"),
        ])
        .orderBy("posts.id")
        .execute();
      const [yes, no] = isSqlite ? [1, 0] : [true, false];
      assert.deepEqual(rows, [
        {
          published: true,
          author: { name: "Ada" },
          comments: [
            { text: "second", hidden: yes },
            { text: "hello", hidden: no },
          ],
        },
        { published: false, author: { name: 'Grace "G"' }, comments: [] },
      ]);
    });

    run("leave text that looks like JSON alone", async (db) => {
      const rows = await db.selectFrom("posts").select(["title", "published"]).orderBy("id").execute();
      assert.deepEqual(rows, [
        { title: "[1]", published: true },
        { title: "true", published: false },
      ]);
    });

    run("conditions are booleans too", async (db) => {
      const row = await db
        .selectFrom("users")
        .select((eb) => [
          eb
            .exists(eb.selectFrom("posts").select("id").whereRef("author_id", "=", "users.id"))
            .$castTo<boolean>()
            .as("writes"),
          eb.not(eb.exists(eb.selectFrom("comments").select("id"))).as("silent"),
          eb.and([eb("name", "=", "Ada"), eb("active", "=", true)]).as("both"),
          eb("id", "+", 1).as("next"),
          eb("active", "=", false).as("unknown"),
        ])
        .where("id", "=", 2)
        .executeTakeFirstOrThrow();
      assert.deepEqual(row, { writes: true, silent: false, both: false, next: 3, unknown: null });
    });
  });
}
