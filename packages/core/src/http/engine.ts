import type { ServerOptions as TlsOptions } from "node:https";
import type { AddressInfo } from "node:net";
import type { BodyMemory } from "../body/body-reader.ts";
import type { Log } from "../log/log.ts";
import type { RequestHandler } from "../request/kernel.ts";
import type { ServerSettings } from "./limits.ts";
import type { PendingBytes } from "./pending-bytes.ts";

export interface TlsSettings extends Pick<TlsOptions, "key" | "cert" | "ca" | "pfx" | "passphrase" | "minVersion"> {}

/** Listens on a port, parses requests and writes responses: the port that each kind of server implements. */
export interface Engine {
  /** How many are open. */
  readonly connections: number;
  listen(port: number, host: string): Promise<AddressInfo>;
  /** Stops accepting connections, waits for running requests up to `limits.stopTimeout`, and closes the rest. */
  close(): Promise<void>;
}

export interface EngineOptions {
  /** Gets an `Incoming` for each request that passes the inspection, and returns the `Outgoing` to write. */
  readonly handler: RequestHandler;
  /** Says how a response looks that the server writes itself. */
  readonly toRefusal: (status: number, reason: string) => { readonly type: string; readonly body: string };
  readonly settings: ServerSettings;
  readonly log: Log;
  readonly pendingBytes: PendingBytes;
  readonly bodies: BodyMemory;
  /** Serves https. */
  readonly tls?: TlsSettings | undefined;
}
