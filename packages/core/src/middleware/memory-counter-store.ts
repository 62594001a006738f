import { checkNames, checkWholeNumber } from "../options.ts";

/** Counts by key. The key-value client of an application fits as it is, and then all its instances count together. */
export interface CounterStore {
  /** Adds one and gives the new count, in one step. A count is forgotten `ttl` seconds after it began, or later. */
  increment(key: string, options: { readonly ttl: number }): number | Promise<number>;
}

export interface MemoryCounterStoreOptions {
  /** How many keys are counted at once; past it, those unseen for longest are forgotten. 100,000 unless told otherwise. */
  readonly maxKeys?: number;
  /** Milliseconds. */
  readonly now?: () => number;
}

interface Counter {
  count: number;
  readonly expires: number;
}

/**
 * Counts in this process. Two generations: what is asked for moves to the young one, and the old one is dropped whole
 * when the young one is full or when everything in it has expired. So nothing is ever walked and no timer runs.
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
    checkNames("MemoryCounterStore()", options, ["maxKeys", "now"]);
    const { maxKeys = 100_000, now = Date.now } = options;
    checkWholeNumber("MemoryCounterStore maxKeys", maxKeys, 2);
    this.#generationSize = Math.floor(maxKeys / 2);
    this.#now = now;
  }

  /** How many keys are held at this moment, expired ones included. */
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
