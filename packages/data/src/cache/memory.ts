import { listEntries, type StoreEntry } from "../store-entry.ts";
import type { CacheStore } from "./cache.ts";

interface Entry {
  readonly text: string;
  readonly bytes: number;
  readonly expires: number;
}

export interface MemoryCacheOptions {
  /** Defaults to 10,000. */
  readonly maxEntries?: number;
  /** Defaults to 64 MB. */
  readonly maxBytes?: number;
  /** The clock, in milliseconds. Defaults to `Date.now`. */
  readonly now?: () => number;
}

const entryOverhead = 64;

/** A cache in this process, bounded by entries and by bytes. Evicts the least recently used entry first. */
export class MemoryCacheStore implements CacheStore {
  /** In the order of use: a Map keeps the order of insertion, and each use inserts again. */
  readonly #entries = new Map<string, Entry>();
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #now: () => number;
  #bytes = 0;

  constructor(options: MemoryCacheOptions = {}) {
    this.#maxEntries = options.maxEntries ?? 10_000;
    this.#maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
    this.#now = options.now ?? Date.now;
  }

  async get(key: string): Promise<string | undefined> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#remove(key, entry);
    if (entry.expires <= this.#now()) return undefined;
    this.#insert(key, entry);
    return entry.text;
  }

  async set(key: string, text: string, ttl: number | undefined): Promise<void> {
    const present = this.#entries.get(key);
    if (present !== undefined) this.#remove(key, present);
    const bytes = 2 * (key.length + text.length) + entryOverhead;
    if (bytes > this.#maxBytes) return; // it would evict everything else and still not fit
    this.#insert(key, { text, bytes, expires: ttl === undefined ? Number.POSITIVE_INFINITY : this.#now() + ttl });
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) break;
      this.#remove(oldest, entry);
    }
  }

  async delete(key: string): Promise<void> {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#remove(key, entry);
  }

  /** The least recently used ones first. Does not count as a use. */
  async list(limit: number): Promise<StoreEntry[]> {
    return listEntries(this.#entries, limit, this.#now());
  }

  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#entries.size, bytes: this.#bytes };
  }

  #insert(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
