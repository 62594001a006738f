/** Every limit of a server, in bytes and milliseconds. */
export interface ServerLimits {
  readonly uri: number;
  readonly headerBytes: number;
  readonly headerCount: number;
  readonly headerTimeout: number;
  readonly requestTimeout: number;
  readonly keepAlive: number;
  /** Bytes of a request body. What is left unread past it closes the connection. */
  readonly body: number;
  /** Bytes of a response that may wait in memory for one client to read them. */
  readonly pendingBytes: number;
  /** Bytes that may wait for all clients together. Beyond it, the slowest readers are disconnected. */
  readonly pendingBytesTotal: number;
  /** Bytes of all request bodies that are arriving or being handled. Beyond it, the oldest get 503. */
  readonly bodyBytesTotal: number;
  /** How long a stop waits for running requests before it closes their connections. */
  readonly stopTimeout: number;
}

export const defaultLimits: ServerLimits = Object.freeze({
  uri: 8 * 1024,
  headerBytes: 16 * 1024,
  headerCount: 200,
  headerTimeout: 10_000,
  requestTimeout: 30_000,
  keepAlive: 5_000,
  body: 1024 * 1024,
  pendingBytes: 32 * 1024 * 1024,
  pendingBytesTotal: 48 * 1024 * 1024,
  bodyBytesTotal: 128 * 1024 * 1024,
  stopTimeout: 10_000,
});

/** Headers that a request may carry once, in lower case, by the length of their names. */
export type SingleHeaders = readonly (readonly string[] | undefined)[];

/** Two servers could otherwise read different values. */
const defaultSingleHeaders = [
  "host",
  "content-length",
  "transfer-encoding",
  "content-type",
  "authorization",
  "x-api-key",
];

/** The default headers and those of the application. */
export function toSingleHeaders(names: readonly string[] = []): SingleHeaders {
  const byLength: string[][] = [];
  for (const name of [...defaultSingleHeaders, ...names.map((name) => name.toLowerCase())]) {
    byLength[name.length] ??= [];
    byLength[name.length]?.push(name);
  }
  return byLength;
}
