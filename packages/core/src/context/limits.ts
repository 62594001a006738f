/** What one request may ask for. The defaults are the ones documented in docs/limits.md. */
export interface RequestLimits {
  /** Bytes of a request body. */
  readonly body: number;
  /** How deep JSON may nest. */
  readonly jsonDepth: number;
  readonly queryPairs: number;
  /** Milliseconds for the whole body to arrive once it is asked for. */
  readonly bodyTimeout: number;
  /** Fields and files of one form. */
  readonly formParts: number;
  readonly files: number;
  /** Bytes of one file. */
  readonly fileSize: number;
  /** Whether `bind()` reads forms. Off unless a platform checks where they come from: any site can send one with cookies. */
  readonly forms?: boolean;
}

export const defaultRequestLimits: RequestLimits = Object.freeze({
  body: 1024 * 1024,
  jsonDepth: 64,
  queryPairs: 1000,
  bodyTimeout: 30_000,
  formParts: 1000,
  files: 20,
  fileSize: 2 ** 31 - 1, // the limit of the body comes first
});
