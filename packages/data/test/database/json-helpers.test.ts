import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  autoIncrement,
  Database,
  type ExpressionBuilder,
  type Generated,
  jsonArrayFrom,
  jsonBuildObject,
  jsonObjectFrom,
  sql,
} from "@tenon/data";
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
      { post_id: 1, author_id: 1, text: "{}", hidden: false },
    ])
    .execute();
}

function authorOf(eb: ExpressionBuilder<Schema, "comments">) {
  return jsonObjectFrom(
    eb.selectFrom("users as u").select(["u.name", "u.active"]).whereRef("u.id", "=", "comments.author_id"),
  );
}

for (const adapter of databases) {
  describe(`JSON helpers on ${adapter.name}`, () => {
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
    const postsWithComments = (db: Pick<Database<Schema>, "selectFrom">) =>
      db
        .selectFrom("posts")
        .select((eb) => [
          "posts.title",
          "posts.published",
          jsonArrayFrom(
            eb
              .selectFrom("comments")
              .select((inner) => ["comments.text", "hidden as isHidden", authorOf(inner).as("author")])
              .whereRef("comments.post_id", "=", "posts.id")
              .orderBy("comments.id", "desc"),
          ).as("comments"),
        ])
        .orderBy("posts.id");
    const expected = [
      {
        title: "[1]",
        published: true,
        comments: [
          { text: "{}", isHidden: false, author: { name: "Ada", active: true } },
          { text: "second", isHidden: true, author: { name: 'Grace "G"', active: null } },
        ],
      },
      { title: "true", published: false, comments: [] },
    ];

    run("return rows inside rows, parsed, with booleans", async (db) => {
      assert.deepEqual(await postsWithComments(db).execute(), expected);
      assert.deepEqual(await postsWithComments(db).execute(), expected, "with the cached statement");
    });

    run("work in transactions and streams, and for compiled queries", async (db) => {
      assert.deepEqual(await db.transaction().execute((inside) => postsWithComments(inside).execute()), expected);
      const rows: unknown[] = [];
      for await (const row of postsWithComments(db).stream()) rows.push(row);
      assert.deepEqual(rows, expected);
      assert.deepEqual((await db.executeQuery(postsWithComments(db).compile())).rows, expected);
    });

    run("return null where no row exists, and only one row otherwise", async (db) => {
      const rows = await db
        .selectFrom("posts")
        .select((eb) =>
          jsonObjectFrom(
            eb.selectFrom("comments").select(["id", "hidden"]).whereRef("post_id", "=", "posts.id").limit(1),
          ).as("first"),
        )
        .orderBy("posts.id")
        .execute();
      assert.deepEqual(rows, [{ first: { id: 1, hidden: true } }, { first: null }]);
    });

    run("build objects from expressions, also inside each other", async (db) => {
      const row = await db
        .selectFrom("posts")
        .innerJoin("users", "users.id", "posts.author_id")
        .select((eb) =>
          jsonBuildObject({
            "it's": eb.ref("posts.title"),
            published: eb.ref("posts.published"),
            popular: eb("posts.id", ">", 5),
            author: jsonBuildObject({ name: eb.ref("users.name"), active: eb.ref("users.active") }),
            comments: jsonArrayFrom(
              eb.selectFrom("comments").select("hidden").whereRef("post_id", "=", "posts.id").orderBy("id"),
            ),
          }).as("post"),
        )
        .where("posts.id", "=", 1)
        .executeTakeFirstOrThrow();
      assert.deepEqual(row.post, {
        "it's": "[1]",
        published: true,
        popular: false,
        author: { name: "Ada", active: true },
        comments: [{ hidden: true }, { hidden: false }],
      });
    });

    run("find booleans through aliases, common table expressions, grouping and unions", async (db) => {
      const rows = await db
        .with("visible", (cte) => cte.selectFrom("comments").select(["hidden as concealed", "post_id"]))
        .selectFrom("posts as p")
        .select((eb) => [
          "p.title as heading",
          eb.fn.count<number>("p.id").as("count"),
          jsonArrayFrom(
            eb
              .selectFrom((inner) => inner.selectFrom("visible").select(["concealed as c", "post_id"]).as("v"))
              .select(["v.c as gone", sql<number>`count(*)`.as("times")])
              .groupBy("v.c")
              .orderBy("times")
              .orderBy("gone"),
          ).as("groups"),
        ])
        .groupBy(["p.title"])
        .having((eb) => eb.fn.count("p.id"), ">", 0)
        .orderBy("heading")
        .limit(1)
        .execute();
      const groups = [
        { gone: false, times: 1 },
        { gone: true, times: 1 },
      ];
      assert.deepEqual(rows, [{ heading: "[1]", count: 1, groups }]);
      const active = (id: number) =>
        db
          .selectFrom("users")
          .select((eb) => jsonBuildObject({ id: eb.ref("id"), active: eb.ref("active") }).as("user"))
          .where("id", "=", id);
      assert.deepEqual(await active(1).unionAll(active(2)).execute(), [
        { user: { id: 1, active: true } },
        { user: { id: 2, active: null } },
      ]);
    });

    run("work in returning", async (db) => {
      const row = await db
        .updateTable("posts")
        .set({ title: "new" })
        .where("id", "=", 1)
        .returning((eb) => jsonBuildObject({ title: eb.ref("title"), published: eb.ref("published") }).as("post"))
        .executeTakeFirstOrThrow();
      assert.deepEqual(row, { post: { title: "new", published: true } });
    });

    run("run a query with more values than SQLite can describe", async (db) => {
      const names = (count: number) => Array.from({ length: count }, (_, index) => `field${index}`);
      const row = await db
        .selectFrom("posts")
        .select((eb) => {
          const fields = Object.fromEntries(names(50).map((name) => [name, eb.ref("posts.title")]));
          return names(45).map((name) => jsonBuildObject(fields).as(name));
        })
        .where("id", "=", 1)
        .executeTakeFirstOrThrow();
      assert.equal(Object.keys(row).length, 45);
      assert.equal(row.field44?.field49, "[1]");
    });

    run("leave text that looks like JSON alone", async (db) => {
      const rows = await db.selectFrom("posts").select(["title", "published"]).orderBy("id").execute();
      assert.deepEqual(rows, [
        { title: "[1]", published: true },
        { title: "true", published: false },
      ]);
    });

    run("reject a selection without names", async (db) => {
      assert.throws(() => jsonArrayFrom(db.selectFrom("posts").selectAll()), {
        message: "jsonArrayFrom() needs a name for every field: select columns by name, not with selectAll().",
      });
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
