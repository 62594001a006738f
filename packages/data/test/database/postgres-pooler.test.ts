import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestHttpApp } from "@tenon/core/testing";
import { Database, type DataOptions, KeyValue, Migrations, SharedStore, sql } from "@tenon/data";
import { Kysely } from "kysely";
import { createPostgresDialect } from "../../src/database/postgres-dialect.ts";
import { PostgresPool } from "../../src/database/postgres-pool.ts";
import { startProxy } from "../support/fault-proxy.ts";
import { hasPgBouncer, type PgBouncerOptions, withPgBouncer } from "../support/own-pgbouncer.ts";
import { services, withPostgres } from "../support/services.ts";
import { recovered, settle } from "../support/settle.ts";
import { withStores } from "../support/stores.ts";

type Settings = Omit<PgBouncerOptions, "server">;

/** `direct` is the URL of the database without the pooler. */
function withPooler<T>(settings: Settings, body: (url: string, direct: string) => Promise<T>): Promise<T> {
  return withPostgres((server) => withPgBouncer({ server, ...settings }, (url) => body(url, server)));
}

if (hasPgBouncer && services.postgres !== undefined) {
  test("transactions through a pooler have their timeouts, and leave none to the next client", () =>
    withPooler({ poolSize: 1 }, (database) =>
      withStores({ database, postgres: { pooler: "transaction", statementTimeout: 20_000 } }, async (app) => {
        const db = app.get(Database);
        const read = async (from: Pick<Database, "executeQuery" | "getExecutor">) => {
          const { rows } = await sql<{ pid: number; statement: string; idle: string }>`select pg_backend_pid() as pid,
            current_setting('statement_timeout') as statement,
            current_setting('idle_in_transaction_session_timeout') as idle`.execute(from);
          return rows[0];
        };
        const inside = await db.transaction().setIsolationLevel("serializable").execute(read);
        const outside = { pid: inside?.pid, statement: "0", idle: "0" };
        assert.deepEqual(inside, { pid: inside?.pid, statement: "20s", idle: "40s" });
        assert.deepEqual(await read(db), outside);
        const rolledBack = db.transaction().execute(async (transaction) => {
          await read(transaction);
          throw new Error("rolled back");
        });
        await assert.rejects(rolledBack, { message: "rolled back" });
        assert.deepEqual(await read(db), outside);
      }),
    ));

  test("a pooler serves migrations, the key-value store, a reserved pool and more clients than it has connections", () =>
    withPooler({ poolSize: 2 }, (url) => {
      const options: DataOptions = {
        database: `${url}&pooler=transaction`,
        migrations: [
          { name: "001-notes", up: (db) => db.schema.createTable("notes").addColumn("id", "integer").execute() },
        ],
      };
      return withStores(options, (first) =>
        withStores(options, async (second) => {
          assert.deepEqual(second.get(Migrations).ranOnStart, []);
          await first.get(KeyValue).set("key", "value", { ttl: 60 });
          assert.equal(await second.get(KeyValue).get("key"), "value");
          const reserved = first.get(Database).reserve(1);
          const insert = (app: typeof first, id: number) =>
            app
              .get(Database)
              .transaction()
              .execute((transaction) => sql`insert into notes values (${id})`.execute(transaction));
          const ids = Array.from({ length: 40 }, (_, index) => index);
          await Promise.all(ids.map((id) => insert(id % 2 === 0 ? first : second, id)));
          assert.ok(reserved);
          assert.deepEqual((await sql`select count(*) from notes`.execute(reserved)).rows, [{ count: ids.length }]);
          await reserved.destroy();
        }),
      );
    }));

  test("a slow statement behind a pooler ends at its timeout, inside a transaction and outside", () =>
    withPooler({}, async (url, direct) => {
      const pool = new PostgresPool(url, { pooler: "transaction", statementTimeout: 300 });
      const db = new Kysely({ dialect: createPostgresDialect(pool) });
      const server = new PostgresPool(direct);
      const slow = sql`select pg_sleep(600)`;
      const findRunning = "select from pg_stat_activity where datname = current_database() and query = $1";
      try {
        const inside = db.transaction().execute((transaction) => slow.execute(transaction));
        await assert.rejects(inside, { code: "UNAVAILABLE" });
        await assert.rejects(slow.execute(db), { code: "UNAVAILABLE" });
        await recovered(async () => {
          const { rowCount } = await server.query(`${findRunning} and state = 'active'`, ["select pg_sleep(600)"]);
          assert.equal(rowCount, 0, "it is running on");
        });
      } finally {
        await db.destroy();
        await server.close();
      }
    }));

  test("messages are heard past a pooler, and without a URL for that a line at start says so", () =>
    withPooler({}, async (database, listenUrl) => {
      const lines: string[] = [];
      const log = { level: "info", destination: { write: (line: string) => lines.push(line) } } as const;
      const pooled: DataOptions = { database, postgres: { pooler: "transaction" } };
      await withStores({ ...pooled, postgres: { pooler: "transaction", listenUrl } }, async (hearing) => {
        const { promise: isListening, resolve: onListening } = Promise.withResolvers<void>();
        const { promise: heard, resolve: onText } = Promise.withResolvers<string>();
        hearing.get(SharedStore).listen("news", (text) => (text === undefined ? onListening() : onText(text)));
        await isListening;
        const run = async (app: TestHttpApp) => {
          const texts: (string | undefined)[] = [];
          app.get(SharedStore).listen("news", (text) => texts.push(text));
          await app.get(SharedStore).notify("news", "hello");
          assert.deepEqual(texts, ["hello"], "its own");
          assert.equal(await heard, "hello");
        };
        await withStores(pooled, run, log);
      });
      assert.equal(lines.filter((line) => line.includes("Set DATABASE_LISTEN_URL to the server itself")).length, 1);
    }));

  test("statements wait for a pooler that is at its limit of clients", () =>
    withPooler({ settings: ["max_client_conn = 2"] }, async (url) => {
      const pool = new PostgresPool(url, { poolSize: 6, pooler: "transaction" });
      try {
        const reads = Array.from({ length: 12 }, () => pool.query("select pg_sleep(0.02)", []));
        assert.equal((await Promise.all(reads)).length, 12);
      } finally {
        await pool.close();
      }
    }));

  test("a server that a pooler loses during a statement leaves an unknown outcome", () =>
    withPostgres(async (direct) => {
      const { proxy, url: server } = await startProxy(direct, 5432);
      const unknown: string[] = [];
      try {
        await withPgBouncer({ server }, async (url) => {
          const pool = new PostgresPool(url, { pooler: "transaction", connectTimeout: 60_000 }, (statement) =>
            unknown.push(statement),
          );
          const changed = settle(pool.query("do $$ begin perform pg_sleep(600); end $$", []));
          const watcher = new PostgresPool(direct);
          await recovered(async () => {
            const running = "datname = current_database() and query like 'do %'"; // other tests have theirs
            const { rowCount } = await watcher.query(`select from pg_stat_activity where ${running}`, []);
            assert.equal(rowCount, 1);
          });
          await proxy.become("refused");
          assert.match(String((await changed).error), /store unavailable/);
          for (const each of [pool, watcher]) await each.close();
        });
      } finally {
        await proxy.stop();
      }
      assert.deepEqual(unknown, ["do"]);
    }));

  test("without its setting a pooler is a start error that names it", () =>
    withPooler({}, async (database) => {
      const place = `127.0.0.1:${new URL(database).port}`;
      const start = withStores({ database, urlNames: { database: "DATABASE_URL" } }, async () => {});
      await assert.rejects(start, (error: Error) => {
        const reason = `PostgreSQL at ${place} refuses the connection: unsupported startup parameter: statement_timeout.`;
        const cure = "set DATABASE_POOLER=transaction, or add ?pooler=transaction to DATABASE_URL.";
        assert.ok(error.message.includes(`${reason} This looks like PgBouncer: ${cure}`), error.message);
        return true;
      });
    }));
}
