import { randomUUID } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { createClient } from "redis";
import { isPooled, services, withFolder, withPostgres } from "../../../../packages/data/test/support/services.ts";

export interface StorageUrls {
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
}

/** A storage of the service, empty at first and deleted afterwards. */
export interface Storage {
  readonly name: string;
  with<T>(body: (urls: StorageUrls) => Promise<T>): Promise<T>;
}

const sqlite: Storage = {
  name: "SQLite",
  with: (body) =>
    withFolder((folder) => body({ databaseUrl: `sqlite:${join(folder, "blog.db")}`, redisUrl: undefined })),
};
const postgres: Storage = {
  name: "PostgreSQL",
  with: (body) => withOwnPostgres((databaseUrl) => body({ databaseUrl, redisUrl: undefined })),
};
const postgresAndRedis: Storage = {
  name: "PostgreSQL and Redis",
  with: (body) => withOwnPostgres((databaseUrl) => withRedis((redisUrl) => body({ databaseUrl, redisUrl }))),
};

const hasPostgres = services.postgres !== undefined;
const hasBoth = hasPostgres && services.redis !== undefined;

/** The two storages of the conformance tests: embedded, and on servers where they are reachable. A pooler is alone. */
export const storages: readonly Storage[] = isPooled ? [postgres] : hasBoth ? [sqlite, postgresAndRedis] : [sqlite];

/**
 * The storages of the page tests: embedded only, because the tests of the API run the same services on both. In the long
 * form, and where REQUIRE_SERVICES is set as in CI, both.
 */
export const pageStorages: readonly Storage[] =
  process.env.TENON_FULL === "1" || process.env.REQUIRE_SERVICES === "1" ? storages : [sqlite];

/** Every combination that two instances can share. */
export const sharedStorages: readonly Storage[] = [
  sqlite,
  ...(hasPostgres ? [postgres] : []),
  ...(hasBoth ? [postgresAndRedis] : []),
];

/** A pooler takes no `search_path` for a connection, so it needs a database. */
const withOwnPostgres = isPooled ? withPostgres : withSchema;

/** A separate schema on the server, created and dropped much faster than a database. */
async function withSchema<T>(body: (url: string) => Promise<T>): Promise<T> {
  const name = `tenon_${randomUUID().replaceAll("-", "")}`;
  const admin = new pg.Client({ connectionString: services.postgres });
  await admin.connect();
  try {
    await admin.query(`create schema ${name}`);
    const url = new URL(services.postgres ?? "");
    url.searchParams.set("options", `-c search_path=${name} -c synchronous_commit=off`);
    url.searchParams.set("connect_timeout", "60"); // a machine that stalls must not look like a server that is down
    return await body(url.href);
  } finally {
    await admin.query(`set client_min_messages = warning; drop schema if exists ${name} cascade`);
    await admin.end();
  }
}

const databases = 15;
const lock = "tenon-test-lock";
// a killed run releases its database by itself
const lockTime = 20 * 60_000;

/** One of Redis' numbered databases, empty and reserved for the test, because counters are stored by address. */
async function withRedis<T>(body: (url: string) => Promise<T>): Promise<T> {
  const client = createClient().duplicate({ url: services.redis ?? "" }); // createClient() with other options is slow
  await client.connect();
  try {
    for (let number = 1; number <= databases; number++) {
      await client.select(number);
      if ((await client.set(lock, "1", { NX: true, PX: lockTime })) === null) continue;
      try {
        return await body(`${services.redis}/${number}`);
      } finally {
        await client.flushDb();
      }
    }
  } finally {
    await client.close();
  }
  throw new Error(`none of Redis' databases 1 to ${databases} is free`);
}
