import type { KeyValue } from "../key-value/key-value.ts";
import type { StoreEntry } from "../store-entry.ts";

/** A store may throw or drop entries at any time: both count as a miss. */
type CacheStore = Pick<KeyValue, "get" | "set" | "delete" | "list">;

export interface CacheOptions {
  /** Called when the store fails; the caller only sees a miss. */
  readonly onError?: (error: unknown) => void;
}

/** Caches values that can be computed again. A store that fails is a miss, never an error. */
export class Cache {
  readonly #store: CacheStore;
  readonly #onError: (error: unknown) => void;
  readonly #loading = new Map<string, Promise<unknown>>();

  constructor(store: CacheStore, options: CacheOptions = {}) {
    this.#store = store;
    this.#onError = options.onError ?? (() => {});
  }

  get<T>(key: string): Promise<T | undefined> {
    return this.#attempt(() => this.#store.get<T>(key));
  }

  /** `ttl` in seconds; without it the entry stays until it is evicted. */
  async set(key: string, value: unknown, ttl?: number): Promise<void> {
    if (value === undefined) return; // undefined is a miss, so there is nothing to store
    await this.#attempt(() => this.#store.set(key, value, ttl === undefined ? {} : { ttl }));
  }

  async delete(key: string): Promise<void> {
    await this.#attempt(() => this.#store.delete(key));
  }

  /** Some of the entries, in no certain order: for developer tools, not for applications. */
  async list(limit: number): Promise<StoreEntry[]> {
    return (await this.#attempt(() => this.#store.list(limit))) ?? [];
  }

  /** The cached value, or the result of `load`, cached for `ttl` seconds. One load at a time per key; errors are not cached. */
  async remember<T>(key: string, ttl: number, load: () => T | Promise<T>): Promise<T> {
    const loading = this.#loading.get(key);
    if (loading !== undefined) return loading as Promise<T>; // one type per key, as in get()
    const started = this.#loadOrGet(key, ttl, load);
    this.#loading.set(key, started);
    try {
      return await started;
    } finally {
      this.#loading.delete(key);
    }
  }

  async #loadOrGet<T>(key: string, ttl: number, load: () => T | Promise<T>): Promise<T> {
    const cached = await this.get<T>(key);
    if (cached !== undefined) return cached;
    const value = await load();
    await this.set(key, value, ttl);
    return value;
  }

  async #attempt<T>(run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }
}
