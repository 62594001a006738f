import { defaultLimits } from "@tenon/server/internal";

/** Limits of one request. docs/limits.md lists the defaults. */
export interface RequestLimits {
  /** Bytes of a request body. */
  readonly body: number;
  /** How deep JSON may nest. */
  readonly jsonDepth: number;
  readonly queryPairs: number;
  /** Milliseconds for the whole body to arrive, from the first read. */
  readonly bodyTimeout: number;
  /** Fields and files of one form. */
  readonly formParts: number;
  readonly files: number;
  /** Bytes of one file. */
  readonly fileSize: number;
}

export const defaultRequestLimits: RequestLimits = Object.freeze({
  body: defaultLimits.body,
  jsonDepth: 64,
  queryPairs: 1000,
  bodyTimeout: 30_000,
  formParts: 1000,
  files: 20,
  fileSize: 2 ** 31 - 1, // the limit of the body comes first
});
