import type { StoreEntry } from "../store-entry.ts";
import type { RedisConnection } from "./redis-connection.ts";

/** Keys that one command looks at, or that are read at once. */
const batch = 200;
const leastSteps = 20;

/**
 * Some of the keys with a text that begin with a prefix, without it. Looks at a bounded number of keys, because a store may
 * hold millions.
 */
export async function listRedisEntries(redis: RedisConnection, limit: number, prefix: string): Promise<StoreEntry[]> {
  const keys = new Set<string>();
  let cursor = "0";
  const steps = leastSteps + limit / batch;
  for (let step = 0; step < steps && keys.size < limit; step++) {
    const found = await redis.run(["SCAN", cursor, "MATCH", `${prefix}*`, "COUNT", String(batch), "TYPE", "string"]);
    const [next, list] = found as [string, string[]]; // the reply of SCAN
    for (const key of list) keys.add(key);
    cursor = String(next);
    if (cursor === "0") break;
  }
  const wanted = [...keys].slice(0, limit);
  const entries: (StoreEntry | undefined)[] = [];
  // not all at once: the commands that wait for a connection are limited
  while (entries.length < wanted.length) {
    const some = wanted.slice(entries.length, entries.length + batch);
    entries.push(...(await Promise.all(some.map((key) => readEntry(redis, key, prefix.length)))));
  }
  return entries.filter((entry) => entry !== undefined);
}

async function readEntry(redis: RedisConnection, key: string, start: number): Promise<StoreEntry | undefined> {
  const [text, left] = [await redis.run(["GET", key]), Number(await redis.run(["PTTL", key]))];
  if (typeof text !== "string") return undefined; // it has expired in the meantime
  return { key: key.slice(start), text, ttl: left < 0 ? Number.POSITIVE_INFINITY : left / 1000 };
}
