import { checkOptions, takes } from "../support/options.ts";

/** Counts by key. The key-value store of an application is one, and then all its instances count together. */
export interface CounterStore {
  /** Adds one and returns the new count, in one step. A count expires `ttl` seconds after it began, or later. */
  increment(key: string, options: { readonly ttl: number }): number | Promise<number>;
}

export interface MemoryCounterStoreOptions {
  /** The most keys that are kept; beyond it, the least recently used are dropped. Defaults to 100,000. */
  readonly maxKeys?: number;
  /** Milliseconds since 1970. Defaults to `Date.now`. */
  readonly now?: () => number;
}

interface Counter {
  count: number;
  readonly expires: number;
}

/**
 * Counts in this process. Two generations: a key that is used moves to the young one, and the old one is dropped whole
 * when the young one is full or when all of the old one has expired. So no loop and no timer is needed.
 */
export class MemoryCounterStore implements CounterStore {
  readonly #generationSize: number;
  readonly #now: () => number;
  #young = new Map<string, Counter>();
  #old = new Map<string, Counter>();
  /** No counter in the old generation outlives this. */
  #oldExpires = 0;
  #youngExpires = 0;

  constructor(options: MemoryCounterStoreOptions = {}) {
    checkOptions("MemoryCounterStore()", options, { maxKeys: takes.wholeNumber(2), now: true });
    const { maxKeys = 100_000, now = Date.now } = options;
    this.#generationSize = Math.floor(maxKeys / 2);
    this.#now = now;
  }

  /** How many keys are held, expired ones included. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  increment(key: string, { ttl }: { readonly ttl: number }): number {
    const now = this.#now();
    if (now >= this.#oldExpires || this.#young.size >= this.#generationSize) this.#rotate(now);
    let counter = this.#young.get(key) ?? this.#old.get(key);
    if (counter === undefined || counter.expires <= now) counter = { count: 0, expires: now + ttl * 1000 };
    counter.count++;
    this.#young.set(key, counter);
    if (counter.expires > this.#youngExpires) this.#youngExpires = counter.expires;
    return counter.count;
  }

  #rotate(now: number): void {
    this.#old = this.#young;
    this.#oldExpires = this.#youngExpires;
    this.#young = new Map();
    this.#youngExpires = 0;
    if (now >= this.#oldExpires) this.#old = new Map();
  }
}
