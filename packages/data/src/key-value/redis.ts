import type { OnStart, OnStop } from "@tenon/core";
import type { RedisConnection } from "../redis/redis-connection.ts";
import { listRedisEntries } from "../redis/redis-entries.ts";
import type { StoreEntry } from "../store-entry.ts";
import { StoreError } from "../store-error.ts";
import { toMilliseconds } from "../support/ttl.ts";
import { encode, KeyValue, notACount, type SetOptions } from "./key-value.ts";

// only the call that creates the key sets the time to live, so that a steady stream of calls cannot extend it
const incrementScript = `local count = redis.call("INCR", KEYS[1])
if count == 1 and ARGV[1] ~= "" then redis.call("PEXPIRE", KEYS[1], ARGV[1]) end
return count`;

/** A store in Redis, shared by every instance that uses it. */
export class RedisKeyValue extends KeyValue implements OnStart, OnStop {
  readonly #redis: RedisConnection;
  readonly #prefix: string;

  /** `space` separates its keys from those of other stores in the same Redis. */
  constructor(redis: RedisConnection, space: string) {
    super();
    this.#redis = redis;
    this.#prefix = `${redis.prefix}${space}:`;
  }

  onStart(): Promise<void> {
    return this.#redis.open();
  }

  onStop(): Promise<void> {
    return this.#redis.close();
  }

  async get<T>(key: string): Promise<T | undefined> {
    return parse<T>(await this.#redis.run(["GET", this.#prefix + key]));
  }

  async set(key: string, value: unknown, options: SetOptions = {}): Promise<void> {
    const ttl = toMilliseconds(options.ttl);
    const text = encode(value);
    await this.#redis.run(["SET", this.#prefix + key, text, ...(ttl === undefined ? [] : ["PX", String(ttl)])]);
  }

  async delete(key: string): Promise<boolean> {
    return (await this.#redis.run(["DEL", this.#prefix + key])) === 1;
  }

  async take<T>(key: string): Promise<T | undefined> {
    return parse<T>(await this.#redis.run(["GETDEL", this.#prefix + key]));
  }

  async increment(key: string, options: SetOptions = {}): Promise<number> {
    const ttl = toMilliseconds(options.ttl);
    try {
      const command = ["EVAL", incrementScript, "1", this.#prefix + key, ttl === undefined ? "" : String(ttl)];
      return Number(await this.#redis.run(command));
    } catch (error) {
      const refused = error instanceof StoreError && error.cause instanceof Error;
      throw refused && String(error.cause).includes("not an integer") ? notACount(key) : error;
    }
  }

  async ttl(key: string): Promise<number | undefined> {
    const left = Number(await this.#redis.run(["PTTL", this.#prefix + key]));
    if (left === -2) return undefined; // no such key
    return left === -1 ? Number.POSITIVE_INFINITY : left / 1000;
  }

  override list(limit: number): Promise<StoreEntry[]> {
    return listRedisEntries(this.#redis, limit, this.#prefix);
  }
}

function parse<T>(text: unknown): T | undefined {
  return typeof text === "string" ? (JSON.parse(text) as T) : undefined; // what was set under this key
}
