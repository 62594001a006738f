import type { Clock } from "@tenon/core";
import { digest } from "@tenon/core/internal";
import type { KeyValue } from "@tenon/data";

type Store = Pick<KeyValue, "get" | "set" | "delete">;

type Expiring<T> = T & { readonly expires: number };

/**
 * Records under the digests of secret ids: sessions, refresh tokens. They expire by the application's clock. An expired
 * one is deleted when it is read, so that it stays expired when the clock is set back.
 */
export class ExpiringRecords {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async get<T extends object>(kind: string, id: string): Promise<T | undefined> {
    const found = await this.#store.get<Expiring<T>>(keyOf(kind, id));
    if (found === undefined) return undefined;
    const { expires, ...record } = found;
    if (expires > this.#clock.now()) return record as unknown as T; // what was set
    await this.delete(kind, id);
    return undefined;
  }

  async set(kind: string, id: string, record: object, seconds: number): Promise<void> {
    const expiring: Expiring<object> = { ...record, expires: this.#clock.now() + seconds * 1000 };
    await this.#store.set(keyOf(kind, id), expiring, { ttl: seconds });
  }

  /** Whether there was a record: of several callers only one deletes it. */
  delete(kind: string, id: string): Promise<boolean> {
    return this.#store.delete(keyOf(kind, id));
  }
}

function keyOf(kind: string, id: string): string {
  return `${kind}:${digest(id)}`;
}
