import { inject } from "@tenon/core";
import { KeyValue } from "@tenon/data";
import { Clock } from "./clock.ts";

type Expiring<T> = T & { readonly expires: number };

/** Records that expire by our clock. An expired one is deleted when it is read, so that it stays expired when the clock is set back. */
export class ExpiringRecords {
  readonly #store = inject(KeyValue);
  readonly #clock = inject(Clock);

  async set(key: string, record: object, seconds: number): Promise<void> {
    const expiring: Expiring<object> = { ...record, expires: this.#clock.now() + seconds * 1000 };
    await this.#store.set(key, expiring, { ttl: seconds });
  }

  async get<T extends object>(key: string): Promise<T | undefined> {
    const record = await this.#store.get<Expiring<T>>(key);
    if (record === undefined || record.expires > this.#clock.now()) return record;
    await this.#store.delete(key);
    return undefined;
  }

  async delete(key: string): Promise<void> {
    await this.#store.delete(key);
  }
}
