import { toMilliseconds } from "../ttl.ts";

/** Where cached text is kept. An adapter may throw or forget at any time: the cache then takes it for a miss. */
export interface CacheStore {
  get(key: string): Promise<string | undefined>;
  /** `ttl` in milliseconds. */
  set(key: string, text: string, ttl: number | undefined): Promise<void>;
  delete(key: string): Promise<void>;
}

export interface CacheOptions {
  /** Told when the store fails; the caller only sees a miss. */
  readonly onError?: (error: unknown) => void;
}

/** Keeps what can be made again. A cache that is down means a miss, never an error. */
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

  /** `ttl` in seconds; without it the entry stays until it is pushed out. */
  async set(key: string, value: unknown, ttl?: number): Promise<void> {
    const text = JSON.stringify(value);
    if (text === undefined) return; // undefined is what a miss gives, so there is nothing to keep
    await this.#attempt(() => this.#store.set(key, text, toMilliseconds(ttl)));
  }

  async delete(key: string): Promise<void> {
    await this.#attempt(() => this.#store.delete(key));
  }

  /** The cached value, or what `load` gives, kept for `ttl` seconds. One load at a time per key; a failed one is not kept. */
  async remember<T>(key: string, ttl: number, load: () => T | Promise<T>): Promise<T> {
    const loading = this.#loading.get(key);
    if (loading !== undefined) return loading as Promise<T>; // one type per key, as everywhere here
    const started = this.#loadOrGet(key, ttl, load);
    this.#loading.set(key, started);
    try {
      return await started;
    } finally {
      this.#loading.delete(key);
    }
  }

  async #loadOrGet<T>(key: string, ttl: number, load: () => T | Promise<T>): Promise<T> {
    const kept = await this.get<T>(key);
    if (kept !== undefined) return kept;
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
