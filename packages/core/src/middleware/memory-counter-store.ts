import { BoundedMap } from "../support/bounded-map.ts";
import { Clock } from "../support/clock.ts";
import { checkOptions, takes } from "../support/options.ts";

/** Counts by key. The key-value store of an application is one, and then all its instances count together. */
export interface CounterStore {
  /** Adds one and returns the new count, in one step. A count expires `ttl` seconds after it began, or later. */
  increment(key: string, options: { readonly ttl: number }): number | Promise<number>;
}

export interface MemoryCounterStoreOptions {
  /** The most keys that are kept; beyond it, the least recently used are dropped. Defaults to 100,000. */
  readonly maxKeys?: number;
  /** Defaults to the time of the system. */
  readonly clock?: Pick<Clock, "now">;
}

interface Counter {
  count: number;
  readonly expires: number;
}

/** Counts in this process. */
export class MemoryCounterStore implements CounterStore {
  readonly #clock: Pick<Clock, "now">;
  readonly #counters: BoundedMap<string, Counter>;

  constructor(options: MemoryCounterStoreOptions = {}) {
    checkOptions("MemoryCounterStore()", options, { maxKeys: takes.wholeNumber(2), clock: true });
    const { maxKeys = 100_000, clock = new Clock() } = options;
    this.#clock = clock;
    this.#counters = new BoundedMap(maxKeys);
  }

  /** How many keys are held, expired ones included. */
  get size(): number {
    return this.#counters.size;
  }

  increment(key: string, { ttl }: { readonly ttl: number }): number {
    const now = this.#clock.now();
    let counter = this.#counters.get(key);
    if (counter === undefined || counter.expires <= now) {
      counter = { count: 0, expires: now + ttl * 1000 };
      this.#counters.set(key, counter);
    }
    return ++counter.count;
  }
}
