/** What one request may ask for. The defaults are the ones documented in docs/limits.md. */
export interface RequestLimits {
  /** Bytes of a request body. */
  readonly body: number;
  /** How deep JSON may nest. */
  readonly jsonDepth: number;
  readonly queryPairs: number;
  /** Milliseconds for the whole body to arrive once it is asked for. */
  readonly bodyTimeout: number;
}

export const defaultRequestLimits: RequestLimits = Object.freeze({
  body: 1024 * 1024,
  jsonDepth: 64,
  queryPairs: 1000,
  bodyTimeout: 30_000,
});
