import type { Progress } from "./progress.ts";

/** A request as a door hands it over. The context reads from it and never learns which door it was. */
export interface Incoming {
  readonly method: string;
  /** As sent, without query; starts with a slash. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly search: string;
  /** How long the string is that `path` was cut from. */
  readonly targetLength: number;
  /** Who is calling: a canonical IP address, or "" when there is none. */
  readonly address: string;
  /** The canonical IP address at the other end of the socket, whatever proxies say; undefined without a socket. */
  readonly peer: string | undefined;
  readonly protocol: string;
  readonly host: string;
  /** `name` is in lower case. Undefined when absent; repeated headers are joined as RFC 9110 says. */
  header(name: string): string | undefined;
  headers(): Record<string, string>;
  /** Reads the whole body, once. Rejects with an HttpError past the limit or the deadline. */
  readBody(limit: number, timeout: number): Promise<Uint8Array>;
  /** What the caller gave as text, by name: bound in the place of a body. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
  /** Shows the caller how far the work has come. Left out where nobody watches. */
  progress?(total: number, label: string): Progress;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}
