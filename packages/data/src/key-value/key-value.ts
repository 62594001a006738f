import { token } from "@tenon/core";
import type { StoreEntry } from "../store-entry.ts";

/** A key-value store with atomic operations. Values are JSON. */
export abstract class KeyValue {
  abstract get<T>(key: string): Promise<T | undefined>;
  abstract set(key: string, value: unknown, options?: SetOptions): Promise<void>;
  /** Returns whether the key existed. */
  abstract delete(key: string): Promise<boolean>;
  /** Gets and deletes atomically: only one of any number of callers, on any number of instances, gets the value. */
  abstract take<T>(key: string): Promise<T | undefined>;
  /** Adds one atomically and returns the new count. The first call sets the time to live, later ones keep it. */
  abstract increment(key: string, options?: SetOptions): Promise<number>;
  /** Seconds until the key expires, with fractions: undefined for a missing key, Infinity for one without a time to live. */
  abstract ttl(key: string): Promise<number | undefined>;

  /** Some of the entries, in no certain order: for developer tools, not for applications. */
  async list(_limit: number): Promise<StoreEntry[]> {
    return [];
  }

  /** Deletes what has expired and returns how many, where that is not the work of the store itself. */
  async sweep(): Promise<number> {
    return 0;
  }
}

/** `KeyValue`, or a store in the database where `KeyValue` is in Redis: for what must survive Redis. */
export const DatabaseKeyValue = token<KeyValue>("DatabaseKeyValue");

export interface SetOptions {
  /** Seconds until the key expires. Defaults to never. */
  readonly ttl?: number;
}

export function encode(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`a ${typeof value} cannot be stored: it has no JSON form`);
  return text;
}

export function notACount(key: string): TypeError {
  return new TypeError(`"${key}" does not hold a whole number`);
}
