import type { Duplex } from "node:stream";
import type { HeaderValue } from "./headers.ts";

/** Names and values of response headers. */
export type HeaderEntries = readonly (readonly [name: string, value: HeaderValue])[];

export interface UpgradeOptions {
  /**
   * Gets the socket, the bytes that have arrived after the request, and the headers that handlers and middlewares have
   * set. From here on it owns the socket: it writes the response and handles errors. The returned function ends the
   * protocol when the application stops.
   */
  readonly take: (socket: Duplex, buffered: Uint8Array, headers: HeaderEntries) => () => void;
  /** Called in the place of `take` when the connection cannot be taken over. */
  readonly discard: () => void;
}

/**
 * Takes over the connection of a request that asks for another protocol: `new Reply(101, "raw", new Upgrade(…))`. The
 * request has passed its route, its middlewares and its guards like any other.
 */
export class Upgrade {
  /** For the `Upgrade` header of a response to a request that cannot be upgraded: `websocket`. */
  readonly protocol: string;
  readonly take: UpgradeOptions["take"];
  readonly discard: () => void;

  constructor(protocol: string, { take, discard }: UpgradeOptions) {
    this.protocol = protocol;
    this.take = take;
    this.discard = discard;
  }
}
