/** An entry of a key-value store or a cache, as developer tools show it. */
export interface StoreEntry {
  readonly key: string;
  /** The value as JSON. */
  readonly text: string;
  /** Seconds until it expires; Infinity without a time to live. */
  readonly ttl: number;
}
