import { randomBytes } from "node:crypto";
import type { App } from "@tenon/core";
import { RedisConnection } from "../redis/redis-connection.ts";
import { parseStoreUrl } from "../store-url.ts";
import { loadDriver } from "../support/load-driver.ts";

/** The stores of one test application. */
export interface TestStores {
  /** For the variables `DATABASE_URL` and `REDIS_URL`. */
  readonly config: { readonly databaseUrl: string; readonly redisUrl: string | undefined };
  /** Stops the application, drops its database and deletes its keys. */
  stop(app: Pick<App, "stop">): Promise<void>;
}

const variable = "TEST_STORES";

/**
 * New stores for one test application: in memory, or on the servers of `servers`, such as
 * `postgres://app@127.0.0.1/app,redis://127.0.0.1`. There they are a new database, and keys with a prefix of their own.
 */
export async function createTestStores(servers = ""): Promise<TestStores> {
  const urls = servers === "" ? [] : servers.split(",");
  const parsed = urls.map((url) => parseStoreUrl(url.trim(), variable, ["postgres", "redis"]));
  const postgres = parsed.find(({ kind }) => kind === "postgres")?.url;
  const redis = parsed.find(({ kind }) => kind === "redis");
  const name = `test_${randomBytes(8).toString("hex")}`;
  if (postgres !== undefined) await execute(postgres, `create database ${name}`);
  const databaseUrl = postgres === undefined ? "sqlite::memory:" : toUrl(postgres, (url) => (url.pathname = name));
  const redisUrl = redis && toUrl(redis.url, ({ searchParams }) => searchParams.set("prefix", `${name}:`));
  return {
    config: { databaseUrl, redisUrl },
    async stop(app) {
      await app.stop();
      if (postgres !== undefined) await execute(postgres, `drop database ${name} with (force)`);
      if (redis !== undefined) await deleteKeys(new RedisConnection(redis.url, redis.place, variable), `${name}:`);
    },
  };
}

function toUrl(text: string, change: (url: URL) => void): string {
  const url = new URL(text);
  change(url);
  return url.href;
}

async function execute(url: string, statement: string): Promise<void> {
  const { default: pg } = await loadDriver("pg", variable, () => import("pg"));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

async function deleteKeys(redis: RedisConnection, prefix: string): Promise<void> {
  await redis.open();
  let cursor = "0";
  do {
    const reply = await redis.run(["SCAN", cursor, "MATCH", `${prefix}*`, "COUNT", "1000"]);
    const [next, keys] = reply as [string, string[]]; // the reply of SCAN
    if (keys.length > 0) await redis.run(["DEL", ...keys]);
    cursor = String(next);
  } while (cursor !== "0");
  await redis.close();
}
