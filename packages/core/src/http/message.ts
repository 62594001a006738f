import type { Socket } from "node:net";
import type { BodyReader } from "../body/body-reader.ts";
import type { HeaderValue } from "../headers.ts";
import type { Incoming } from "../request.ts";

/** The head of a request as it was received, with the property names of node:http. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly httpVersion: string;
  /** Names and values alternate, nothing joined, nothing dropped. */
  readonly rawHeaders: readonly string[];
}

/** A request on a connection. */
export interface RequestMessage extends RequestHead {
  readonly socket: Socket;
  readonly expect: string | undefined;
  /** Whether the whole request has arrived. */
  readonly complete: boolean;
  /** Whether the system has all bytes of the response. */
  readonly finished: boolean;
  /** Passes the body to a reader: the bytes that have arrived, then those that follow. */
  readInto(reader: BodyReader): void;
  sendContinue(): void;
}

/** A request and its response. Each engine implements it; the exchange uses nothing else. */
export interface Message extends RequestMessage {
  /** Nothing can be written any more. */
  readonly destroyed: boolean;
  readonly headersSent: boolean;
  /** Bytes of the response that the system has not taken yet. */
  readonly writableLength: number;
  /** Writes a response in one piece. The headers are names and values, alternating. */
  send(status: number, headers: HeaderValue[], body: string | Uint8Array | null, close: boolean): void;
  /** Begins a response whose body follows with `write` and `end`. Its head goes with the first of them. */
  begin(status: number, headers: HeaderValue[], close: boolean): void;
  /** Writes the head without waiting for the body. */
  flushHeaders(): void;
  /** False when the client does not keep up: the event `drain` follows. */
  write(bytes: Uint8Array): boolean;
  end(): void;
  /**
   * Detaches the engine from the socket of a request that asks for another protocol, and returns the bytes that have
   * arrived after it. Undefined when this request cannot be upgraded.
   */
  detach(): Uint8Array | undefined;
  /** Closes the connection in the middle of the response. */
  destroy(): void;
  once(event: "close" | "drain", listener: () => void): unknown;
  off(event: "close" | "drain", listener: () => void): unknown;
}

/** Takes over connections whose client asks for another protocol, for example a WebSocket. */
export interface UpgradeHandler {
  /** Whether this request is for it. Any other one is handled as plain HTTP. */
  accepts(head: RequestHead): boolean;
  /**
   * Gets the socket and the bytes that have arrived after the request. From here on it owns the socket: it writes the
   * response and handles errors. The returned function ends the protocol when the application stops.
   */
  take(incoming: Incoming, socket: Socket, buffered: Uint8Array): () => void;
}
