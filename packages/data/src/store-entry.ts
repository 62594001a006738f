/** An entry of a key-value store or a cache, as developer tools show it. */
export interface StoreEntry {
  readonly key: string;
  /** The value as JSON. */
  readonly text: string;
  /** Seconds until it expires; Infinity without a time to live. */
  readonly ttl: number;
}

/** The first entries of a store in memory, without those that have expired. */
export function listEntries(
  entries: ReadonlyMap<string, { readonly text: string; readonly expires: number }>,
  limit: number,
  now: number,
): StoreEntry[] {
  return entries
    .entries()
    .filter(([, { expires }]) => expires > now)
    .take(limit)
    .map(([key, { text, expires }]) => ({ key, text, ttl: (expires - now) / 1000 }))
    .toArray();
}
