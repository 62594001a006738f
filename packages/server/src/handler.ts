import type { Duplex } from "node:stream";

/** A request as a server passes it to its handler. */
export interface Incoming {
  method: string;
  /** As sent, without query; starts with a slash. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly search: string;
  /** The client's canonical IP address, or "" when there is none. */
  readonly address: string;
  /** The canonical IP address at the other end of the socket, before any proxy header; undefined without a socket. */
  readonly peer: string | undefined;
  readonly protocol: string;
  readonly host: string;
  /** `name` is in lower case. Undefined when absent; repeated headers are joined (RFC 9110, 5.3). */
  header(name: string): string | undefined;
  headers(): Record<string, string>;
  /** Reads the whole body, once; at once where it has arrived. Rejects past the limit or the timeout. */
  readBody(limit: number, timeout: number): Uint8Array | Promise<Uint8Array>;
  /** The body while it arrives, instead of `readBody()`. The timeout is for one chunk. Left out where a body is in memory. */
  streamBody?(limit: number, timeout: number): AsyncIterable<Uint8Array>;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Several values are sent as several headers of this name. */
export type HeaderValue = string | readonly string[];

/** Names and values of response headers. */
export type HeaderEntries = readonly (readonly [name: string, value: HeaderValue])[];

/** Streams are read chunk by chunk while they are written: text or bytes. Only the status 101 has an upgrade. */
export type OutgoingBody = string | Uint8Array | AsyncIterable<unknown> | Upgrade | null;

/** A response that only needs writing. */
export interface Outgoing {
  readonly status: number;
  readonly body: OutgoingBody;
  /** The content type; "" when there is none. */
  readonly type: string;
  /** Whether the connection should close after it. */
  readonly closes: boolean;
  /** The other headers, by lower-case name. The server itself writes those of the connection and of the framing. */
  extraHeaders(): Iterable<readonly [string, HeaderValue]> | undefined;
}

/** Takes over the connection of a request that asks for another protocol. */
export interface Upgrade {
  /** For the `Upgrade` header of a response to a request that cannot be upgraded: `websocket`. */
  readonly protocol: string;
  /**
   * Gets the socket, the bytes that have arrived after the request, and the headers of the response. From here on it owns
   * the socket: it writes the response and handles errors. The returned function ends the protocol when the server stops.
   */
  readonly take: (socket: Duplex, buffered: Uint8Array, headers: HeaderEntries) => () => void;
  /** Called instead of `take` when the connection cannot be taken over. */
  readonly discard: () => void;
}

/** Handles a request. Neither throws nor rejects. */
export interface RequestHandler {
  handle(incoming: Incoming): Outgoing | Promise<Outgoing>;
}
