import { listEntries, type StoreEntry } from "../store-entry.ts";
import { toMilliseconds } from "../support/ttl.ts";
import { encode, KeyValue, notACount, type SetOptions } from "./key-value.ts";

interface Entry {
  readonly text: string;
  readonly expires: number;
}

export interface MemoryOptions {
  /** Above it, the oldest key is evicted. Defaults to 1,000,000. */
  readonly maxEntries?: number;
  /** The clock, in milliseconds. Defaults to `Date.now`. */
  readonly now?: () => number;
}

const sweepEvery = 1000;
const sweepBatch = 2000;

/** A store in this process, lost when it ends: for tests and for disposable data. */
export class MemoryKeyValue extends KeyValue {
  readonly #entries = new Map<string, Entry>();
  readonly #maxEntries: number;
  readonly #now: () => number;
  #writes = 0;

  constructor(options: MemoryOptions = {}) {
    super();
    this.#maxEntries = options.maxEntries ?? 1_000_000;
    this.#now = options.now ?? Date.now;
  }

  async get<T>(key: string): Promise<T | undefined> {
    return this.#read<T>(key);
  }

  async set(key: string, value: unknown, options: SetOptions = {}): Promise<void> {
    const text = encode(value);
    this.#write(key, text, this.#expiry(options));
  }

  async delete(key: string): Promise<boolean> {
    const present = this.#read(key) !== undefined;
    this.#entries.delete(key);
    return present;
  }

  async take<T>(key: string): Promise<T | undefined> {
    const value = this.#read<T>(key);
    this.#entries.delete(key);
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
    return entry && (entry.expires - this.#now()) / 1000;
  }

  override async list(limit: number): Promise<StoreEntry[]> {
    return listEntries(this.#entries, limit, this.#now());
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
    if (entry === undefined || entry.expires > this.#now()) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  #write(key: string, text: string, expires: number): void {
    if (++this.#writes % sweepEvery === 0) this.#sweep();
    if (this.#entries.size >= this.#maxEntries && !this.#entries.has(key)) {
      const oldest = this.#entries.keys().next().value;
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(key, { text, expires });
  }

  #expiry(options: SetOptions): number {
    const ttl = toMilliseconds(options.ttl);
    return ttl === undefined ? Number.POSITIVE_INFINITY : this.#now() + ttl;
  }

  /** Checks only the oldest entries, so that a single write never scans all of them. */
  #sweep(): void {
    const now = this.#now();
    let looked = 0;
    for (const [key, entry] of this.#entries) {
      if (++looked > sweepBatch) return;
      if (entry.expires <= now) this.#entries.delete(key);
    }
  }
}
