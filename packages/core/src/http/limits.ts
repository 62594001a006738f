import type { RequestLimits } from "../body/body-reader.ts";

/** Every limit of the HTTP server, in bytes and milliseconds. */
export interface HttpLimits extends RequestLimits {
  readonly uri: number;
  readonly headerBytes: number;
  readonly headerCount: number;
  readonly headerTimeout: number;
  readonly requestTimeout: number;
  readonly keepAlive: number;
  /** Bytes of a response that may wait in memory for one client to read them. */
  readonly pendingBytes: number;
  /** The same for all clients together. Beyond it, the slowest readers are disconnected. */
  readonly pendingBytesTotal: number;
  /** Bytes of all request bodies that are arriving or being handled. Beyond it, the oldest get 503. */
  readonly bodyBytesTotal: number;
  /** How long a stop waits for running requests before it closes their connections. */
  readonly stopTimeout: number;
}

/** What a server needs to know of the application's options. */
export interface ServerSettings {
  readonly limits: HttpLimits;
  readonly trustedProxies: readonly string[];
  readonly singleHeaders: SingleHeaders;
}

/** Headers that a request may carry once, in lower case, by the length of their names. */
export type SingleHeaders = readonly (readonly string[] | undefined)[];
