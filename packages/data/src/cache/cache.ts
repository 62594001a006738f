import type { StoreEntry } from "../store-entry.ts";
import { toMilliseconds } from "../support/ttl.ts";

/** The port of a cache store. An adapter may throw or drop entries at any time: both count as a miss. */
export interface CacheStore {
  get(key: string): Promise<string | undefined>;
  /** `ttl` in milliseconds. */
  set(key: string, text: string, ttl: number | undefined): Promise<void>;
  delete(key: string): Promise<void>;
  /** Some of the entries, for developer tools. */
  list?(limit: number): Promise<StoreEntry[]>;
}

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

  async get<T>(key: string): Promise<T | undefined> {
    const text = await this.#attempt(() => this.#store.get(key));
    return text === undefined ? undefined : (JSON.parse(text) as T); // what was set under this key
  }

  /** `ttl` in seconds; without it the entry stays until it is evicted. */
  async set(key: string, value: unknown, ttl?: number): Promise<void> {
    const text = JSON.stringify(value);
    if (text === undefined) return; // undefined is a miss, so there is nothing to store
    await this.#attempt(() => this.#store.set(key, text, toMilliseconds(ttl)));
  }

  async delete(key: string): Promise<void> {
    await this.#attempt(() => this.#store.delete(key));
  }

  /** Some of the entries, in no certain order: for developer tools, not for applications. */
  async list(limit: number): Promise<StoreEntry[]> {
    return (await this.#attempt(async () => this.#store.list?.(limit))) ?? [];
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
