import type { ServerOptions as TlsOptions } from "node:https";
import type { AddressInfo } from "node:net";
import type { ToBodyError } from "./body/bounded-chunks.ts";
import type { RequestHandler } from "./handler.ts";
import type { ServerLimits, SingleHeaders } from "./request/limits.ts";

export interface TlsSettings extends Pick<TlsOptions, "key" | "cert" | "ca" | "pfx" | "passphrase" | "minVersion"> {}

/** Where a server reports what no handler sees. A pino logger is one. */
export interface ServerLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What each kind of server takes. */
export interface ServerOptions {
  /** Gets an `Incoming` for each request that passes the inspection, and returns the `Outgoing` to write. */
  readonly handler: RequestHandler;
  readonly limits: ServerLimits;
  /** Peers whose `X-Forwarded-*` headers count, as addresses or CIDR ranges. */
  readonly trustedProxies: readonly string[];
  readonly singleHeaders: SingleHeaders;
  /** Says how a response looks that the server writes itself. */
  readonly toRefusal: (status: number, reason: string) => { readonly type: string; readonly body: string };
  readonly toBodyError: ToBodyError;
  readonly log: ServerLog;
  /** Serves https. */
  readonly tls?: TlsSettings | undefined;
}

/** Listens on a port, parses requests and writes responses: the port that each kind of server implements. */
export interface HttpServer {
  /** How many are open. */
  readonly connections: number;
  listen(port: number, host: string): Promise<AddressInfo>;
  /** Stops accepting connections, waits for running requests up to `limits.stopTimeout`, and closes the rest. */
  close(): Promise<void>;
}
