import type { Clock } from "@tenon/core";
import { digest } from "@tenon/core/internal";

/** Where sessions are kept. `KeyValue` of @tenon/data is one. */
export interface RecordStore {
  get<T>(key: string): Promise<T | undefined>;
  /** `ttl` in seconds. */
  set(key: string, value: unknown, options?: { readonly ttl?: number }): Promise<void>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;
}

/** Records under the digest of a session's id. They expire by the application's clock, and stay so when it is set back. */
export class StoredRecords {
  readonly #store: RecordStore;
  readonly #clock: Clock;

  constructor(store: RecordStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async get<T extends object>(kind: string, id: string): Promise<T | undefined> {
    const found = await this.#store.get<T & { readonly expires: number }>(keyOf(kind, id));
    if (found === undefined || found.expires > this.#clock.now()) return found;
    await this.delete(kind, id);
    return undefined;
  }

  async set(kind: string, id: string, record: object, seconds: number): Promise<void> {
    const expires = this.#clock.now() + seconds * 1000;
    await this.#store.set(keyOf(kind, id), { ...record, expires }, { ttl: seconds });
  }

  /** Whether there was a record: of several callers only one deletes it. */
  delete(kind: string, id: string): Promise<boolean> {
    return this.#store.delete(keyOf(kind, id));
  }
}

function keyOf(kind: string, id: string): string {
  return `${kind}:${digest(id)}`;
}
