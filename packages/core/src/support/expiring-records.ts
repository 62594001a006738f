import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "./clock.ts";

/** Where records are kept. `KeyValue` of @tenon/data is one. */
export interface RecordStore {
  get<T>(key: string): Promise<T | undefined>;
  /** `ttl` in seconds. */
  set(key: string, value: unknown, options?: { readonly ttl?: number }): Promise<void>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;
}

type Expiring<T> = T & { readonly expires: number };

/**
 * Records under the digests of secret ids: sessions, refresh tokens. They expire by the application's clock. An expired
 * one is deleted when it is read, so that it stays expired when the clock is set back.
 */
export class ExpiringRecords {
  readonly #store: RecordStore;
  readonly #clock: Clock;

  constructor(store: RecordStore, clock: Clock) {
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

/** 256 random bits as text. */
export function createSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Stores keep this instead of a secret, so that a leaked store holds no usable credential. */
export function digest(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
