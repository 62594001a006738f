import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { api, defineModule, inject, type Module } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Cache, Database, dataModule, KeyValue, sql, useDatabase } from "@tenon/data";
import { withFolder } from "./support/services.ts";
import { databases } from "./support/stores.ts";

class Users {
  readonly db = inject(Database);
  readonly sessions = inject(KeyValue);
}
class Posts {
  readonly db = inject(Database);
  readonly users = inject(Users);
  readonly cache = inject(Cache);
}

/** Its stores cannot be reached: the test fails where one of them is used. */
function createBlog(database: string): Module {
  const data = dataModule({
    database,
    keyValue: "redis://127.0.0.1:1",
    cache: "redis://127.0.0.1:1",
    migrations: [
      { name: "001-notes", up: (db) => db.schema.createTable("notes").addColumn("id", "integer").execute() },
    ],
  });
  const users = defineModule({ name: "users", imports: [data], declarations: [Users], exports: [Users] });
  return defineModule({ name: "blog", imports: [data, users], declarations: [Posts] });
}

for (const adapter of databases) {
  test(`useDatabase points every module of an application to ${adapter.name}`, () =>
    withFolder((folder) =>
      adapter.with(async ({ database = "" }) => {
        const file = join(folder, "app.db");
        const module = createBlog(`sqlite:${file}`);
        const app = await createTestApp(module, api(), { override: [useDatabase(database)] });
        const posts = app.get(Posts);
        await sql`insert into notes values (1)`.execute(posts.users.db);
        assert.deepEqual((await sql`select id from notes`.execute(posts.db)).rows, [{ id: 1 }]);
        await posts.users.sessions.set("a", 1);
        assert.equal(await posts.users.sessions.get("a"), 1);
        await posts.cache.set("b", 2);
        assert.equal(await posts.cache.get("b"), 2);
        await app.stop();
        assert.ok(!existsSync(file), "the application's own database is not touched");
      }),
    ));
}

test("applications of one module that run together do not share a database in memory", async () => {
  const module = createBlog("postgres://127.0.0.1:1/none");
  const start = () => createTestApp(module, api(), { override: [useDatabase("sqlite::memory:")] });
  const [one, two] = await Promise.all([start(), start()]);
  await sql`insert into notes values (1)`.execute(one.get(Database));
  assert.deepEqual((await sql`select id from notes`.execute(two.get(Database))).rows, []);
  await one.stop();
  assert.deepEqual((await sql`select id from notes`.execute(two.get(Database))).rows, [], "it is still open");
  await two.stop();
});

test("an application with two data modules has both of them replaced", async () => {
  const unreachable = { database: "postgres://127.0.0.1:1/none" };
  const main = dataModule(unreachable);
  const archive = dataModule({ ...unreachable, name: "archive" });
  const users = defineModule({ name: "users", imports: [archive], declarations: [Users], exports: [Users] });
  const module = defineModule({ name: "blog", imports: [main, users], declarations: [Posts] });
  const app = await createTestApp(module, api(), { override: [useDatabase("sqlite::memory:")] });
  const { db, users: archived } = app.get(Posts);
  assert.notEqual(db, archived.db);
  assert.equal(db.kind, "sqlite");
  assert.equal(archived.db.kind, "sqlite");
  await app.stop();
});

test("a wrong URL is reported with its origin", async () => {
  const starting = createTestApp(createBlog("sqlite::memory:"), api(), { override: [useDatabase("mysql://x")] });
  await assert.rejects(starting, /the URL of useDatabase\(\) is "mysql:\/\/x"\. It takes sqlite, postgres URLs/);
});
