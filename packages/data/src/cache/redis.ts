import type { RedisConnection } from "../redis-connection.ts";
import { listRedisEntries } from "../redis-entries.ts";
import type { StoreEntry } from "../store-entry.ts";
import type { CacheStore } from "./cache.ts";

const prefix = "cache:";

/** A cache in Redis, shared by every instance. A prefix separates its keys from those of the key-value store. */
export class RedisCacheStore implements CacheStore {
  readonly #redis: RedisConnection;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  async get(key: string): Promise<string | undefined> {
    const text = await this.#redis.run(["GET", prefix + key]);
    return typeof text === "string" ? text : undefined;
  }

  async set(key: string, text: string, ttl: number | undefined): Promise<void> {
    await this.#redis.run(["SET", prefix + key, text, ...(ttl === undefined ? [] : ["PX", String(ttl)])]);
  }

  async delete(key: string): Promise<void> {
    await this.#redis.run(["DEL", prefix + key]);
  }

  list(limit: number): Promise<StoreEntry[]> {
    return listRedisEntries(this.#redis, limit, { prefix });
  }
}
