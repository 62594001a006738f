import type { RedisConnection } from "../redis/redis-connection.ts";
import { listRedisEntries } from "../redis/redis-entries.ts";
import type { StoreEntry } from "../store-entry.ts";
import type { CacheStore } from "./cache.ts";

/** A cache in Redis, shared by every instance. Its prefix separates its keys from those of the key-value store. */
export class RedisCacheStore implements CacheStore {
  readonly #redis: RedisConnection;
  readonly #prefix: string;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
    this.#prefix = `${redis.prefix}cache:`;
  }

  async get(key: string): Promise<string | undefined> {
    const text = await this.#redis.run(["GET", this.#prefix + key]);
    return typeof text === "string" ? text : undefined;
  }

  async set(key: string, text: string, ttl: number | undefined): Promise<void> {
    await this.#redis.run(["SET", this.#prefix + key, text, ...(ttl === undefined ? [] : ["PX", String(ttl)])]);
  }

  async delete(key: string): Promise<void> {
    await this.#redis.run(["DEL", this.#prefix + key]);
  }

  list(limit: number): Promise<StoreEntry[]> {
    return listRedisEntries(this.#redis, limit, this.#prefix);
  }
}
