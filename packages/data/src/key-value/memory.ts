import { Clock } from "@tenon/core";
import type { StoreEntry } from "../store-entry.ts";
import { toMilliseconds } from "../support/ttl.ts";
import { encode, KeyValue, notACount, type SetOptions } from "./key-value.ts";

interface Entry {
  readonly text: string;
  readonly expires: number;
}

export interface MemoryOptions {
  /** Above it, the least recently used key is evicted. Defaults to 1,000,000. */
  readonly maxEntries?: number;
  /** Bytes of keys and values, above which the least recently used key is evicted. Defaults to no limit. */
  readonly maxBytes?: number;
  /** Defaults to that of the system. */
  readonly clock?: Clock;
}

const sweepEvery = 1000;
const sweepBatch = 2000;
const entryOverhead = 64;

/** A store in this process, lost when it ends: for caches, tests and disposable data. */
export class MemoryKeyValue extends KeyValue {
  /** In the order of use: a Map keeps the order of insertion, and each use inserts again. */
  readonly #entries = new Map<string, Entry>();
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  #bytes = 0;
  #writes = 0;

  constructor(options: MemoryOptions = {}) {
    super();
    this.#maxEntries = options.maxEntries ?? 1_000_000;
    this.#maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
    this.#clock = options.clock ?? new Clock();
  }

  async get<T>(key: string): Promise<T | undefined> {
    return this.#read<T>(key);
  }

  async set(key: string, value: unknown, options: SetOptions = {}): Promise<void> {
    const text = encode(value);
    this.#write(key, text, this.#expiry(options));
  }

  async delete(key: string): Promise<boolean> {
    const present = this.#find(key) !== undefined;
    this.#remove(key);
    return present;
  }

  async take<T>(key: string): Promise<T | undefined> {
    const value = this.#read<T>(key);
    this.#remove(key);
    return value;
  }

  async increment(key: string, options: SetOptions = {}): Promise<number> {
    const expiry = this.#expiry(options);
    const value = this.#read<unknown>(key) ?? 0;
    if (!Number.isSafeInteger(value)) throw notACount(key);
    const count = (value as number) + 1; // checked above
    this.#write(key, String(count), this.#entries.get(key)?.expires ?? expiry);
    return count;
  }

  async ttl(key: string): Promise<number | undefined> {
    const entry = this.#find(key);
    return entry && (entry.expires - this.#clock.now()) / 1000;
  }

  /** The least recently used ones first. Does not count as a use. */
  override async list(limit: number): Promise<StoreEntry[]> {
    const now = this.#clock.now();
    return this.#entries
      .entries()
      .filter(([, { expires }]) => expires > now)
      .take(limit)
      .map(([key, { text, expires }]) => ({ key, text, ttl: (expires - now) / 1000 }))
      .toArray();
  }

  get size(): number {
    return this.#entries.size;
  }

  #read<T>(key: string): T | undefined {
    const entry = this.#find(key);
    return entry && (JSON.parse(entry.text) as T); // what was set under this key
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#remove(key);
    if (entry.expires <= this.#clock.now()) return undefined;
    this.#insert(key, entry);
    return entry;
  }

  #write(key: string, text: string, expires: number): void {
    if (++this.#writes % sweepEvery === 0) this.#sweep();
    this.#remove(key);
    if (bytesOf(key, text) > this.#maxBytes) return; // it would evict everything else and still not fit
    this.#insert(key, { text, expires });
    while (this.#entries.size > this.#maxEntries || this.#bytes > this.#maxBytes) {
      const [oldest = ""] = this.#entries.keys();
      this.#remove(oldest);
    }
  }

  #insert(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += bytesOf(key, entry.text);
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= bytesOf(key, entry.text);
  }

  #expiry(options: SetOptions): number {
    const ttl = toMilliseconds(options.ttl);
    return ttl === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() + ttl;
  }

  /** Checks only the oldest entries, so that a single write never scans all of them. */
  #sweep(): void {
    const now = this.#clock.now();
    for (const [key, { expires }] of this.#entries.entries().take(sweepBatch)) {
      if (expires <= now) this.#remove(key);
    }
  }
}

function bytesOf(key: string, text: string): number {
  return 2 * (key.length + text.length) + entryOverhead;
}
