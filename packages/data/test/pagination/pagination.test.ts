import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { tracingChannel } from "node:diagnostics_channel";
import { describe, test } from "node:test";
import { api, BindError, defineModule, dto, inject, integer, jsonArray, route, string } from "@tenon/core";
import type { Tracing } from "@tenon/core/platform";
import { createTestApp } from "@tenon/core/testing";
import {
  autoIncrement,
  Database,
  dataModule,
  type Generated,
  PageQuery,
  page,
  paginate,
  sql,
  streamRows,
  type TracedSql,
} from "@tenon/data";
import { databases, withStores } from "../support/stores.ts";

const sqlTracing: Tracing<TracedSql> = tracingChannel("tenon.sql");

interface Schema {
  authors: { id: Generated<number>; name: string; created_at: string };
  posts: {
    id: Generated<number>;
    author_id: number;
    title: string;
    score: number;
    note: string | null;
    created_at: string;
  };
  tags: { slug: string; rank: number };
  events: { id: string; seen_at: string; due_on: string };
}

async function createTables(db: Database<Schema>): Promise<void> {
  await db.schema
    .createTable("authors")
    .addColumn("id", "integer", autoIncrement)
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("posts")
    .addColumn("id", "integer", autoIncrement)
    .addColumn("author_id", "integer", (column) => column.notNull().references("authors.id"))
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("score", "integer", (column) => column.notNull())
    .addColumn("note", "text")
    .addColumn("created_at", "timestamptz(3)", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("tags")
    .addColumn("slug", "text", (column) => column.primaryKey())
    .addColumn("rank", "integer", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("events")
    .addColumn("id", "uuid", (column) => column.primaryKey())
    .addColumn("seen_at", "timestamptz", (column) => column.notNull())
    .addColumn("due_on", "date", (column) => column.notNull())
    .execute();
  await db.insertInto("authors").values({ name: "Ada", created_at: "2026-01-01T00:00:00.000Z" }).execute();
}

/** Numbers from 0 to below 1, the same ones in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Posts of which about ten share each time and each score. */
async function addPosts(db: Database<Schema>, count: number, random = createRandom(1)): Promise<number[]> {
  const posts = Array.from({ length: count }, (_, index) => ({
    author_id: 1,
    title: `t${index}`,
    score: Math.floor((random() * count) / 10) - 2,
    note: null,
    created_at: new Date(Math.floor((random() * count) / 10) * 1000).toISOString(),
  }));
  const rows = await db.insertInto("posts").values(posts).returning("id").execute();
  return rows.map(({ id }) => id);
}

/** Events from the years 1 to 9999, some a microsecond apart. */
async function addEvents(db: Database<Schema>, count: number): Promise<void> {
  const random = createRandom(2);
  const span = Date.UTC(9999, 11, 31) - Date.parse("0001-01-01");
  const events = Array.from({ length: count }, (_, index) => {
    const time = new Date(Date.parse("0001-01-01") + Math.floor((random() * count) / 5) * (span / count)).toISOString();
    return { id: randomUUID(), seen_at: time.replace("Z", `00${1 + (index % 3)}Z`), due_on: time.slice(0, 10) };
  });
  await db.insertInto("events").values(events).execute();
}

const posts = (db: Database<Schema>) => db.selectFrom("posts").selectAll();

function cursorOf(...fields: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(fields)).toString("base64url");
}

/** The result, and how many statements it took. */
async function countSql(run: () => Promise<number>) {
  let statements = 0;
  const count = () => void statements++;
  sqlTracing.subscribe({ asyncEnd: count });
  try {
    return { length: await run(), statements };
  } finally {
    sqlTracing.unsubscribe({ asyncEnd: count });
  }
}

const isRejected = (path: string) => (error: unknown) =>
  error instanceof BindError &&
  error.status === 400 &&
  error.issues[0]?.in === "query" &&
  error.issues[0].path === path;

for (const adapter of databases) {
  const withPosts = (count: number, body: (db: Database<Schema>, ids: number[]) => Promise<void>) => () =>
    adapter.with((options) =>
      withStores(options, async (app) => {
        await app.start();
        const db = app.get(Database<Schema>);
        await createTables(db);
        await body(db, count === 0 ? [] : await addPosts(db, count));
      }),
    );

  describe(adapter.name, () => {
    test(
      "pages together are the ordered list, forwards and backwards",
      withPosts(57, async (db) => {
        for (const column of ["created_at", "score", "id"] as const) {
          for (const direction of ["asc", "desc"] as const) {
            const whole = await posts(db).orderBy(column, direction).orderBy("id", direction).execute();
            for (const limit of [10, 57]) {
              const seen: unknown[] = [];
              let page = await paginate(posts(db), { by: [column, direction], limit });
              assert.equal(page.previous, null);
              for (;;) {
                seen.push(...page.items);
                if (page.next === null) break;
                page = await paginate(posts(db), { by: [column, direction], limit, cursor: page.next });
              }
              assert.deepEqual(seen, whole);
              const back = [...page.items];
              for (let cursor = page.previous; cursor !== null; cursor = page.previous) {
                page = await paginate(posts(db), { by: [column, direction], limit, cursor });
                back.unshift(...page.items);
              }
              assert.deepEqual(back, whole);
            }
          }
        }
      }),
    );

    test(
      "pages in the order of times and days, with a uuid as key, are the same on both databases",
      withPosts(0, async (db) => {
        await addEvents(db, 40);
        const events = db.selectFrom("events").selectAll();
        const inserted = await events.execute();
        for (const column of ["seen_at", "due_on", "id"] as const) {
          const seen: unknown[] = [];
          for (let cursor: string | null | undefined; cursor !== null; ) {
            const page = await paginate(events, { by: [column, "asc"], limit: 7, cursor });
            seen.push(...page.items);
            cursor = page.next;
          }
          // as texts: their order is that of the values
          const toKey = (event: Schema["events"]) => `${event[column]} ${event.id}`;
          const whole = inserted.toSorted((left, right) => (toKey(left) < toKey(right) ? -1 : 1));
          assert.deepEqual(seen, whole);
          assert.deepEqual(await Array.fromAsync(streamRows(events, { by: [column, "asc"] })), whole);
        }
        const cursor = cursorOf("events", "seen_at", "asc", "id", "after", "soon", "no-uuid");
        const odd = paginate(events, { by: ["seen_at", "asc"], cursor }); // SQLite compares any texts
        if (db.kind === "postgres") await assert.rejects(odd, isRejected("cursor"));
        else assert.deepEqual((await odd).items, []);
      }),
    );

    test(
      "a walk during deletions and insertions has each row that stays exactly once",
      withPosts(0, async (db) => {
        for (const seed of [1, 2, 3]) {
          const random = createRandom(seed);
          await db.deleteFrom("posts").execute();
          const ids = await addPosts(db, 200, random);
          const deleted = new Set<number>();
          const seen: number[] = [];
          const by = [seed % 2 === 0 ? "score" : "created_at", seed % 3 === 0 ? "asc" : "desc"] as const;
          for (let cursor: string | undefined | null; cursor !== null; ) {
            const page = await paginate(posts(db), { by, limit: 1 + Math.floor(random() * 20), cursor });
            seen.push(...page.items.map(({ id }) => id));
            cursor = page.next;
            const gone = ids.filter(() => random() < 0.05);
            const last = page.items.at(-1)?.id; // also the row that the cursor was made from
            if (last !== undefined && random() < 0.5) gone.push(last);
            for (const id of gone) deleted.add(id);
            await db
              .deleteFrom("posts")
              .where("id", "in", [0, ...gone])
              .execute();
            await addPosts(db, 3, random);
          }
          assert.equal(new Set(seen).size, seen.length, "no row twice");
          const missed = ids.filter((id) => !deleted.has(id) && !seen.includes(id));
          assert.deepEqual(missed, []);
        }
      }),
    );

    test(
      "a cursor that is malformed, foreign or of another type is rejected input",
      withPosts(5, async (db) => {
        await db.insertInto("tags").values({ slug: "a", rank: 1 }).execute();
        const time = new Date(0).toISOString();
        const list = ["posts", "created_at", "desc", "id"];
        const good = cursorOf(...list, "after", time, 3);
        const byTime = (cursor: string) => paginate(posts(db), { by: ["created_at", "desc"], cursor });
        await byTime(good);
        const tags = await paginate(db.selectFrom("tags").selectAll(), { by: ["rank", "asc"], key: "slug" });
        assert.deepEqual(tags, { items: [{ slug: "a", rank: 1 }], next: null, previous: null });
        for (const cursor of [
          "",
          "x",
          "%00",
          "a".repeat(10_000),
          `${good}A`,
          `${good}=`,
          good.slice(0, -2),
          Buffer.from(good).toString("base64url"),
          cursorOf(),
          cursorOf(time, 3),
          cursorOf({ time }),
          cursorOf("tags", "created_at", "desc", "id", "after", time, 3),
          cursorOf("posts", "title", "desc", "id", "after", time, 3),
          cursorOf("posts", "created_at", "asc", "id", "after", time, 3),
          cursorOf("posts", "created_at", "desc", "slug", "after", time, 3),
          cursorOf(...list, "at", time, 3),
          cursorOf(...list, "after", time),
          cursorOf(...list, "after", time, null),
          cursorOf(...list, "after", time, "x"),
          cursorOf(...list, "after", time, "3"),
          cursorOf(...list, "after", time, { id: 3 }),
          cursorOf(...list, "after", 0, 3),
          cursorOf(...list, "after", true, 3),
          cursorOf(...list, "after", `${time}\0`, 3),
          cursorOf(...list, "after", "\ud800", 3),
          cursorOf(...list, "after", "x".repeat(10_000), 3),
          Buffer.from(`["posts","created_at","desc","id","after","${time}",1e999]`).toString("base64url"),
          Buffer.from(`["posts","created_at","desc","id","after","\xff",3]`, "latin1").toString("base64url"),
        ]) {
          await assert.rejects(byTime(cursor), isRejected("cursor"), cursor.slice(0, 80));
          await assert.rejects(async () => {
            for await (const _ of streamRows(posts(db), { by: ["created_at", "desc"], cursor }));
          }, isRejected("cursor"));
        }
        const byScore = (value: unknown, key: unknown, direction: "asc" | "desc") =>
          paginate(posts(db), {
            by: ["score", direction],
            cursor: cursorOf("posts", "score", direction, "id", "after", value, key),
          });
        for (const direction of ["asc", "desc"] as const) {
          await assert.rejects(byScore("abc", 3, direction), isRejected("cursor"));
          await assert.rejects(byScore("", 3, direction), isRejected("cursor"));
          await assert.rejects(byScore("1", 3, direction), isRejected("cursor"));
          await assert.rejects(byScore(1, "3", direction), isRejected("cursor"));
          // no such place: PostgreSQL cannot compare it with the column, and SQLite finds all rows or none
          for (const [value, key] of [
            [1e308, 3],
            [2 ** 53, 3],
            [0.5, 3],
            [1, 1e21],
            [1, -0.5],
          ]) {
            await byScore(value, key, direction).catch((error: unknown) =>
              assert.ok(isRejected("cursor")(error), String(error)),
            );
          }
        }
      }),
    );

    test(
      "a cursor after which nothing is left is an empty page, and before it too",
      withPosts(3, async (db) => {
        const list = ["posts", "created_at", "asc", "id"];
        const by = ["created_at", "asc"] as const;
        const end = { items: [], next: null, previous: null };
        assert.deepEqual(
          await paginate(posts(db), { by, cursor: cursorOf(...list, "after", "9999-01-01T00:00:00.000Z", 1) }),
          end,
        );
        assert.deepEqual(
          await paginate(posts(db), { by, cursor: cursorOf(...list, "before", "0001-01-01T00:00:00.000Z", 1) }),
          end,
        );
        await db.deleteFrom("posts").execute();
        assert.deepEqual(
          await paginate(posts(db), { by, cursor: cursorOf(...list, "after", "0001-01-01T00:00:00.000Z", 1) }),
          end,
        );
      }),
    );

    test(
      "a limit out of range is rejected input; the default is 20",
      withPosts(25, async (db) => {
        const by = ["id", "asc"] as const;
        assert.equal((await paginate(posts(db), { by })).items.length, 20);
        for (const limit of [0, -1, 1.5, Number.NaN, 1001, Number.POSITIVE_INFINITY]) {
          await assert.rejects(paginate(posts(db), { by, limit }), isRejected("limit"));
          assert.throws(() => streamRows(posts(db), { by, limit }), isRejected("limit"));
        }
      }),
    );

    test(
      "a query with joins names the table of its columns",
      withPosts(12, async (db) => {
        const query = db
          .selectFrom("posts")
          .innerJoin("authors", "authors.id", "posts.author_id")
          .select(["posts.id", "posts.created_at", "authors.name"]);
        const first = await paginate(query, { by: ["posts.created_at", "desc"], limit: 7 });
        const second = await paginate(query, { by: ["posts.created_at", "desc"], limit: 7, cursor: first.next ?? "" });
        assert.equal(new Set([...first.items, ...second.items].map(({ id }) => id)).size, 12);
        const name: string | undefined = first.items[0]?.name;
        assert.equal(name, "Ada");
        const plain = await paginate(posts(db), { by: ["created_at", "desc"], limit: 7 });
        assert.equal(plain.next, first.next, "the same list");
      }),
    );

    test(
      "what cannot be ordered does not compile, and is an error where the types are wrong",
      withPosts(2, async (db) => {
        const time = "2026-01-01T00:00:00.000Z";
        // @ts-expect-error: a column that may be null
        const byNote = () => paginate(posts(db), { by: ["note", "asc"], limit: 1 });
        await assert.rejects(byNote, /"note" cannot order a list: each row needs a text or a number there, not null/);
        // @ts-expect-error: a column that is not selected
        const notSelected = () => paginate(db.selectFrom("posts").select("id"), { by: ["title", "asc"], limit: 1 });
        await assert.rejects(notSelected, /"title" cannot order a list/);
        // @ts-expect-error: without an id, the key has to be named
        const withoutKey = () => paginate(db.selectFrom("tags").selectAll(), { by: ["rank", "asc"] });
        await assert.rejects(withoutKey, { code: "FAILED" });
        await assert.rejects(
          paginate(posts(db).orderBy("title"), { by: ["id", "asc"] }),
          new TypeError("a query in pages has no orderBy() of its own: use { by, limit, cursor }"),
        );
        await db
          .updateTable("posts")
          .set({ title: "x".repeat(2000), created_at: time })
          .execute();
        await assert.rejects(
          paginate(posts(db), { by: ["title", "asc"], limit: 1 }),
          new TypeError('"title" cannot order a list: its values are too long for a cursor in a URL'),
        );
      }),
    );

    test(
      "streamRows() reads all rows in order, or a page with the cursor of the next",
      withPosts(250, async (db) => {
        const by = ["score", "desc"] as const;
        const whole = await posts(db).orderBy("score", "desc").orderBy("id", "desc").execute();
        assert.deepEqual(await Array.fromAsync(streamRows(posts(db), { by })), whole);
        const stream = streamRows(posts(db), { by, limit: 120, map: ({ id }) => id });
        const cursor = (await stream.nextCursor()) ?? "";
        const ids: number[] = await Array.fromAsync(stream);
        const rest = streamRows(posts(db), { by, cursor });
        assert.equal(await rest.nextCursor(), null, "a stream of all rows has no next page");
        assert.deepEqual(
          [...ids, ...(await Array.fromAsync(rest)).map(({ id }) => id)],
          whole.map(({ id }) => id),
        );
        assert.equal(await streamRows(posts(db), { by, limit: 250 }).nextCursor(), null);
        const { next } = await paginate(posts(db), { by, limit: 120 });
        assert.equal(next, cursor, "cursors of paginate() and streamRows() are the same");
        const { previous } = await paginate(posts(db), { by, limit: 120, cursor });
        assert.throws(() => streamRows(posts(db), { by, cursor: previous ?? "" }), isRejected("cursor"));
      }),
    );

    test(
      "streamRows() with sizes reads large rows in small parts, without those that are deleted meanwhile",
      withPosts(6, async (db, ids) => {
        await db
          .updateTable("posts")
          .set({ title: "x".repeat(70_000) })
          .execute();
        const sizes = db.selectFrom("posts").select(sql<number>`octet_length(title)`.as("bytes"));
        const read = () =>
          streamRows(posts(db).where(sql<boolean>`${sql.lit(adapter.name)} <> 'large'`), { by: ["id", "asc"], sizes });
        await Array.fromAsync(read()); // which shows how large the rows are
        const stream = read();
        const seen: number[] = [];
        for await (const { id } of stream) {
          seen.push(id);
          if (seen.length === 2) await db.deleteFrom("posts").where("id", "in", ids.slice(3, 5)).execute();
        }
        assert.deepEqual(seen, [...ids.slice(0, 3), ids[5]]);
      }),
    );

    test(
      "streamRows() reads a page in one statement, and asks for sizes first where the rows may exceed 1 MiB",
      withPosts(60, async (db) => {
        const sizes = db.selectFrom("posts").select(sql<number>`octet_length(title)`.as("bytes"));
        const by = ["id", "asc"] as const;
        // built for each page, as applications do; the databases of this process share what was seen of a text
        const query = () => posts(db).where(sql<boolean>`${sql.lit(adapter.name)} <> ''`);
        const countStatements = async (limit: number | undefined) => {
          const { length, statements } = await countSql(async () => {
            const stream = streamRows(query(), { by, sizes, limit });
            await stream.nextCursor();
            return (await Array.fromAsync(stream)).length;
          });
          return [length, statements];
        };
        assert.deepEqual(await countStatements(20), [20, 2], "no row of the query was seen yet");
        assert.deepEqual(await countStatements(20), [20, 1]);
        assert.deepEqual(await countStatements(60), [60, 1]);
        assert.deepEqual(await countStatements(undefined), [60, 1]);
        await db
          .updateTable("posts")
          .set({ title: "x".repeat(63_000) })
          .execute();
        assert.deepEqual(await countStatements(16), [16, 1], "which shows how large the rows are");
        assert.deepEqual(await countStatements(17), [17, 18], "each row alone has about 64 KiB");
        await db.updateTable("posts").set({ title: "small" }).execute();
        for (let count = 0; count < 200; count++) await countStatements(1);
        assert.deepEqual(await countStatements(60), [60, 1], "they are small again");
      }),
    );

    test(
      "streamRows() reads the first 16 rows of a list of unknown size, and then 100 at once",
      withPosts(250, async (db) => {
        const { length, statements } = await countSql(async () => {
          const query = posts(db).where(sql<boolean>`${sql.lit(adapter.name)} <> 'seen'`);
          const stream = streamRows(query, { by: ["id", "asc"] });
          return (await Array.fromAsync(stream)).length;
        });
        assert.deepEqual([length, statements], [250, 4]);
      }),
    );

    test("streamRows() reads no further when the client has left", () =>
      adapter.with(async (options) => {
        let sent = 0;
        class Posts {
          readonly #db = inject(Database<Schema>);
          readonly all = route.get("/export", {}, () =>
            jsonArray(
              streamRows(posts(this.#db), {
                by: ["id", "asc"],
                map: ({ id }) => ({ id, position: ++sent, text: "x".repeat(20_000) }),
              }),
            ),
          );

          routes() {
            return [this.all];
          }
        }
        const app = await createTestApp(
          defineModule({ name: "app", imports: [dataModule(options)], declarations: [Posts] }),
          api(),
        );
        try {
          const { url } = await app.listen({ port: 0, host: "127.0.0.1", signals: false });
          const db = app.get(Database<Schema>);
          await createTables(db);
          await addPosts(db, 2000); // 40 MB, more than the buffers of a connection
          const { body } = await fetch(`${url}/export`);
          const reader = body?.getReader();
          assert.equal((await reader?.read())?.done, false);
          await reader?.cancel();
        } finally {
          await app.stop();
        }
        assert.ok(sent > 0 && sent < 2000, `${sent} rows`);
      }));

    test("a route with PageQuery and page(): limits, cursors and the document", () =>
      adapter.with(async (options) => {
        const Post = dto("Post", { id: integer("required"), title: string("required") });
        class Posts {
          readonly #db = inject(Database<Schema>);
          readonly index = route.get("/posts", { query: PageQuery, returns: page(Post) }, (_, { query }) =>
            paginate(posts(this.#db), { by: ["created_at", "desc"], ...query }),
          );
          readonly latest = route.get("/latest", { query: PageQuery, returns: page(Post) }, (_, { query }) =>
            paginate(posts(this.#db), { by: ["id", "desc"], ...query }),
          );
          readonly all = route.get("/export", {}, () => jsonArray(streamRows(posts(this.#db), { by: ["id", "asc"] })));

          routes() {
            return [this.index, this.latest, this.all];
          }
        }
        const app = await createTestApp(
          defineModule({ name: "app", imports: [dataModule(options)], declarations: [Posts] }),
          api(),
        );
        try {
          await app.start();
          const db = app.get(Database<Schema>);
          await createTables(db);
          await addPosts(db, 30);
          const get = async (path: string) => {
            const response = await app.request("GET", path);
            return {
              status: response.status,
              body: (await response.json()) as { items: unknown[]; next: string | null },
            };
          };
          const first = await get("/posts");
          assert.equal(first.body.items.length, 20);
          assert.deepEqual(Object.keys(first.body.items[0] ?? {}), ["id", "title"]);
          const second = await get(`/posts?cursor=${first.body.next}`);
          assert.deepEqual([second.body.items.length, second.body.next], [10, null]);
          for (const query of ["limit=0", "limit=101", "limit=x", "cursor=x", `limit=5&cursor=${"a".repeat(3000)}`]) {
            assert.equal((await get(`/posts?${query}`)).status, 400, query);
          }
          assert.equal((await get(`/latest?cursor=${first.body.next}`)).status, 400, "a cursor of another list");
          assert.equal(((await (await app.request("GET", "/export")).json()) as unknown[]).length, 30);
          const document = JSON.stringify(await app.openapi());
          assert.match(
            document,
            /"PostPage":\{"type":"object","properties":\{"items":\{"type":"array","items":\{"\$ref"/,
          );
        } finally {
          await app.stop();
        }
      }));
  });
}
