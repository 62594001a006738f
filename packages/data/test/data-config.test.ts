import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { api, defineConfig, defineModule, inject, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Cache, Database, dataModule, KeyValue, sql } from "@tenon/data";
import { setVariables } from "../../core/test/support/variables.ts";
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

class Config extends defineConfig({ DATABASE_URL: string("required"), REDIS_URL: string() }) {}
const ConfigModule = defineModule({ name: "config", declarations: [Config], exports: [Config] });
const options = {
  imports: [ConfigModule] as const,
  database: () => inject(Config).databaseUrl,
  keyValue: () => inject(Config).redisUrl,
  cache: () => inject(Config).redisUrl,
};

const data = dataModule({
  ...options,
  urlNames: { database: "DATABASE_URL" },
  migrations: [{ name: "001-notes", up: (db) => db.schema.createTable("notes").addColumn("id", "integer").execute() }],
});
const users = defineModule({ name: "users", imports: [data], declarations: [Users], exports: [Users] });
const blog = defineModule({ name: "blog", imports: [data, users], declarations: [Posts] });

for (const adapter of databases) {
  test(`config points every module of an application to ${adapter.name}`, (t) =>
    withFolder((folder) =>
      adapter.with(async ({ database = "" }) => {
        const file = join(folder, "app.db");
        setVariables(t, { DATABASE_URL: `sqlite:${file}`, REDIS_URL: "redis://127.0.0.1:1" });
        const config = { databaseUrl: String(database), redisUrl: undefined };
        const app = await createTestApp(blog, api(), { config });
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
  const start = () => createTestApp(blog, api(), { config: { databaseUrl: "sqlite::memory:" } });
  const [one, two] = await Promise.all([start(), start()]);
  await sql`insert into notes values (1)`.execute(one.get(Database));
  assert.deepEqual((await sql`select id from notes`.execute(two.get(Database))).rows, []);
  await one.stop();
  assert.deepEqual((await sql`select id from notes`.execute(two.get(Database))).rows, [], "it is still open");
  await two.stop();
});

test("an application with two data modules has the configuration in both of them", async () => {
  const archive = dataModule({ ...options, name: "archive" });
  const readers = defineModule({ name: "users", imports: [archive], declarations: [Users], exports: [Users] });
  const module = defineModule({ name: "blog", imports: [data, readers], declarations: [Posts] });
  const app = await createTestApp(module, api(), { config: { databaseUrl: "sqlite::memory:" } });
  const { db, users: archived } = app.get(Posts);
  assert.notEqual(db, archived.db);
  assert.equal(db.kind, "sqlite");
  assert.equal(archived.db.kind, "sqlite");
  await app.stop();
});

test("a wrong URL is reported with its origin", async () => {
  const starting = createTestApp(blog, api(), { config: { databaseUrl: "mysql://x" } });
  await assert.rejects(starting, /DATABASE_URL is a URL of another kind\. It takes a URL such as sqlite:/);
});

test("no part of a wrong URL is shown, whatever its password is", async () => {
  const problem = /DATABASE_URL (?:is not a valid URL: .* write \/ \? # @ % as %2F|has an invalid )/;
  for (const databaseUrl of [
    "postgres://app:s3/cret@db/x",
    "postgres://app:s3@cret@db:99999999/x",
    "postgres://app:s3?cret@db/x",
    "postgres://app:s3#cret@db/x",
    "postgres://app:1234/s3cret@db/x",
    "postgres://app:1234?s3cret@db/x",
    "postgres://app:1234#s3cret@db/x",
    "postgres://app:s3cret@/x",
    "postgres://db/x?statement_timeout=s3cret",
    "postgres://db/x?pooler=s3cret",
  ]) {
    await assert.rejects(createTestApp(blog, api(), { config: { databaseUrl } }), ({ message }: Error) => {
      assert.match(message, problem);
      assert.doesNotMatch(message, /s3|cret|1234|app[:@]/);
      return true;
    });
  }
});

test("a wrong URL of two stores is one problem", async () => {
  const url = "localhost:6379";
  const urlNames = { keyValue: "REDIS_URL", cache: "REDIS_URL" };
  const shared = dataModule({ database: "sqlite::memory:", keyValue: url, cache: url, urlNames });
  const message =
    "REDIS_URL is not a URL with a host and a port up to 65535. It takes a URL such as redis://host:6379, memory:.";
  await assert.rejects(createTestApp(shared, api()), { message });
});
