/** A key-value store with atomic steps. Values are anything that JSON can carry. */
export abstract class KeyValue {
  abstract get<T>(key: string): Promise<T | undefined>;
  abstract set(key: string, value: unknown, options?: SetOptions): Promise<void>;
  /** Whether there was something to delete. */
  abstract delete(key: string): Promise<boolean>;
  /** Gets and deletes in one step: of any number of callers, on any number of instances, one gets the value. */
  abstract take<T>(key: string): Promise<T | undefined>;
  /** Counts up in one step and gives the new count. The first step sets the time to live, later ones leave it. */
  abstract increment(key: string, options?: SetOptions): Promise<number>;
  /** Seconds until the key is gone, with fractions: undefined for a key that is not there, Infinity for one without a time to live. */
  abstract ttl(key: string): Promise<number | undefined>;
}

export interface SetOptions {
  /** Seconds until the key is gone. For ever without it. */
  readonly ttl?: number;
}

export function encode(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`a ${typeof value} cannot be kept: it has no JSON form`);
  return text;
}

export function notACount(key: string): TypeError {
  return new TypeError(`"${key}" does not hold a whole number`);
}
