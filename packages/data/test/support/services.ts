import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

const postgresUrl = process.env.TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";
/** A pooler in front of the same server, in transaction mode: what `withPostgres()` gives leads through it. */
const poolerUrl = process.env.TEST_POOLER_URL;
const redisUrl = process.env.TEST_REDIS_URL ?? "redis://127.0.0.1:6379";

function isReachable(url: string, port: number): Promise<boolean> {
  const { hostname, port: given } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(given || port), hostname);
    socket.setTimeout(60_000, () => socket.destroy()); // a busy machine is slow to accept, and quick to refuse
    socket.once("connect", () => {
      resolve(true);
      socket.destroy();
    });
    socket.once("error", () => {});
    socket.once("close", () => resolve(false));
  });
}

/** The services that are reachable. REQUIRE_SERVICES=1 turns a missing one into a failure. */
export const services = {
  postgres: (await isReachable(postgresUrl, 5432)) ? postgresUrl : undefined,
  redis: (await isReachable(redisUrl, 6379)) ? redisUrl : undefined,
};

/** The option `redis` where no deadline is tested: a machine that stalls must not look like a server that is down. */
export const patientRedis = { commandTimeout: 30_000, connectTimeout: 30_000 };

const missing = Object.entries(services).filter(([, url]) => url === undefined);
if (missing.length > 0) {
  const names = missing.map(([name]) => name).join(" and ");
  if (process.env.REQUIRE_SERVICES === "1") throw new Error(`REQUIRE_SERVICES is set and ${names} cannot be reached`);
  process.stdout.write(`left out: the tests that need ${names} (not reachable on this machine)\n`);
}

/** Whether the databases of the tests are reached through a pooler. */
export const isPooled = poolerUrl !== undefined;

/** The option `postgres` for a database of `withPostgres()`: nothing can listen through a pooler. */
export function listenDirectly(database: string): { readonly listenUrl?: string } {
  if (!isPooled || !database.startsWith("postgres:")) return {};
  const url = new URL(database);
  url.host = new URL(postgresUrl).host;
  url.searchParams.delete("pooler");
  return { listenUrl: url.href };
}

/** The first key of the advisory locks, which reserve a database while its test runs. */
const reserved = 1_702_127_986;

/**
 * An empty database of its own on the server. They are named `tenon_test_1` and so on, and kept for the next tests and
 * runs: to create and drop one takes the server much longer than to empty it.
 */
export async function withPostgres<T>(body: (url: string) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: services.postgres });
  await admin.connect();
  try {
    const name = `tenon_test_${await reserve(admin)}`;
    const { rowCount } = await admin.query("select from pg_database where datname = $1", [name]);
    if (rowCount === 0) {
      await admin.query(`create database ${name}`);
      // no test of these databases cuts the power: hundreds of them need not wait for the disk
      await admin.query(`alter database ${name} set synchronous_commit = off`);
    }
    const url = new URL(services.postgres ?? "");
    url.pathname = `/${name}`;
    url.searchParams.set("connect_timeout", "60"); // a machine that stalls must not look like a server that is down
    if (poolerUrl !== undefined) await dropPooled(poolerUrl, name);
    await clear(url.href);
    if (poolerUrl !== undefined) {
      url.host = new URL(poolerUrl).host;
      url.searchParams.set("pooler", "transaction");
    }
    return await body(url.href);
  } finally {
    await admin.end(); // releases the lock
  }
}

async function reserve(admin: pg.Client): Promise<number> {
  for (let number = 1; ; number++) {
    const { rows } = await admin.query("select pg_try_advisory_lock($1, $2) as is_free", [reserved, number]);
    if (rows[0].is_free) return number;
  }
}

/** A busy pooler may hand out a connection that `clear()` has ended, before it has read of that. */
async function dropPooled(pooler: string, database: string): Promise<void> {
  const url = new URL(pooler);
  url.pathname = "/pgbouncer";
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`reconnect ${database}`);
  await client.end();
}

/** Ends the connections that another test has left, and drops all that it has created. */
async function clear(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    set client_min_messages = warning;
    select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid();
    do $$ declare name text; begin
      for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
        execute format('drop schema %I cascade', name);
      end loop;
    end $$;
    create schema public;
    grant usage on schema public to public`);
  await client.end();
}

/** A folder for one test, removed afterwards. */
export async function withFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-"));
  try {
    return await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
