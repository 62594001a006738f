import type { Operation } from "./operation.ts";
import type { CallOptions, OpenWebSocket } from "./options.ts";

export interface LiveCallOptions extends CallOptions {
  /** The id of the last event that was handled: the stream continues after it. */
  readonly lastEventId?: string | undefined;
}

/** How a live operation reaches the server. */
export interface LiveCall {
  readonly operation: Operation;
  readonly options: LiveCallOptions;
  /** Before each connection, because tokens change. */
  prepare(): Promise<{ readonly url: string; readonly headers: Headers }>;
  send(request: Request): Promise<Response>;
}

/** Opens event streams and sockets. A client of a document without them does not contain it. */
export type OpenLive = (call: LiveCall, options: { readonly webSocket?: OpenWebSocket | undefined }) => unknown;
