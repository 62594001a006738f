import { defineModule, type Module, provide, token } from "@tenon/core";
import type { RecordStore } from "../../src/sessions/record-store.ts";

type Operation = "get" | "set" | "delete";

interface Hold {
  readonly operation: Operation;
  readonly key: RegExp;
  readonly reached: () => void;
  readonly released: Promise<void>;
}

/** A store in memory that records its calls, and that can be made to wait or to fail. */
export class WatchedStore implements RecordStore {
  /** As JSON, by key. */
  readonly entries = new Map<string, string>();
  readonly calls: { readonly operation: Operation; readonly key: string; readonly ttl?: number | undefined }[] = [];
  /** Every call fails with it while it is set. */
  failure: Error | undefined;
  #holds: Hold[] = [];

  async get<T>(key: string): Promise<T | undefined> {
    await this.#enter("get", key);
    const text = this.entries.get(key);
    return text === undefined ? undefined : (JSON.parse(text) as T); // what was set under this key
  }

  async set(key: string, value: unknown, options: { readonly ttl?: number } = {}): Promise<void> {
    await this.#enter("set", key, options.ttl);
    this.entries.set(key, JSON.stringify(value));
  }

  async delete(key: string): Promise<boolean> {
    await this.#enter("delete", key);
    return this.entries.delete(key);
  }

  /** The calls since the last time: `get`, `set` and `delete`, in order. */
  takeCalls(): Operation[] {
    return this.calls.splice(0).map(({ operation }) => operation);
  }

  /** Makes the next such call wait: `reached` resolves when it is made, and it continues after `release()`. */
  hold(operation: Operation, key: RegExp): { readonly reached: Promise<void>; readonly release: () => void } {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.#holds.push({ operation, key, reached: reached.resolve, released: released.promise });
    return { reached: reached.promise, release: released.resolve };
  }

  /** Everything in the store, to search for what must not be there. */
  get text(): string {
    return JSON.stringify([...this.entries]);
  }

  async #enter(operation: Operation, key: string, ttl?: number): Promise<void> {
    this.calls.push({ operation, key, ttl });
    const hold = this.#holds.find((candidate) => candidate.operation === operation && candidate.key.test(key));
    if (hold !== undefined) {
      this.#holds = this.#holds.filter((other) => other !== hold);
      hold.reached();
      await hold.released;
    }
    if (this.failure !== undefined) throw this.failure;
  }
}

export const Store = token<RecordStore>("Store");

/** A module that exports a store, as a data module does. */
export function storeModule(store: RecordStore): Module {
  return defineModule({ name: "store", declarations: [provide(Store, () => store)], exports: [Store] });
}
