import { HttpError } from "@tenon/core";
import { redacted } from "@tenon/core/internal";
import type { Incoming } from "@tenon/core/platform";
import type { Recorded } from "../record/recorded.ts";

/** What a form sends: a request to repeat. */
export interface ReplayInput {
  readonly method: string;
  /** A path with its query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Headers of a connection, and those that follow from the body. */
const ownHeaders = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "expect",
  "te",
  "trailer",
]);

export interface ReplayForm {
  readonly method: string;
  readonly target: string;
  /** Lines of `name: value`, without those that are redacted. */
  readonly headers: string;
  readonly body: string;
  /** The names of headers whose values were not kept: the form asks for new ones. */
  readonly secrets: readonly string[];
  /** Whether target or body hold values that were not kept. */
  readonly isRedacted: boolean;
  /** Why it cannot be repeated as it was. */
  readonly problem?: string;
}

/** The fields of the form, from a recorded request. */
export function toReplayForm({ method, target, request, status }: Recorded): ReplayForm {
  const headers = Object.entries(request?.headers ?? {}).filter(([name]) => !ownHeaders.has(name));
  const secrets = headers.filter(([, value]) => value.includes(redacted)).map(([name]) => name);
  const { text = "", size = 0 } = request?.body ?? {};
  const problem =
    status === 101
      ? "It has become a connection of another protocol, which cannot be repeated."
      : text === "" && size > 0
        ? `Its body (${size} bytes) was not kept: it is too large, or of a type that is not recorded.`
        : undefined;
  return {
    method,
    target,
    headers: headers
      .filter(([name]) => !secrets.includes(name))
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n"),
    body: text,
    secrets,
    isRedacted: target.includes(redacted) || text.includes(redacted),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Refuses with 400 what an engine would refuse, and values that were redacted. */
export function checkReplay({ method, target, headers, body }: ReplayInput): void {
  const refuse = (reason: string): never => {
    throw new HttpError(400, reason);
  };
  if (!/^[A-Z]{1,20}$/.test(method)) refuse("The method is not one of HTTP.");
  if (!/^\/[\x21-\x22\x24-\x7e]*$/.test(target)) refuse("The target is a path, with or without a query.");
  if ([target, body, ...Object.values(headers)].some((text) => text.includes(redacted))) {
    refuse(`Replace each ${redacted} by a value: what was sent was not kept.`);
  }
}

/** Lines of `name: value`. Anything else is a 400. */
export function parseHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = Object.create(null); // a name may be __proto__
  for (const line of text.split(/\r?\n/).filter((row) => row.trim() !== "")) {
    const [, name = "", value = ""] = /^([\w!#$%&'*.^`|~+-]+):[\t ]*([\t\x20-\x7e]*)$/.exec(line) ?? [];
    if (name === "") throw new HttpError(400, `This is not a header: ${line}`);
    if (!ownHeaders.has(name.toLowerCase())) headers[name.toLowerCase()] = value.trim();
  }
  return headers;
}

/** A request that a form describes, as an engine would pass it on. */
export class ReplayedIncoming implements Incoming {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly address = "127.0.0.1";
  readonly peer = "127.0.0.1";
  readonly protocol = "http";
  readonly host: string;
  readonly signal: AbortSignal;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #body: Uint8Array;

  constructor({ method, target, headers, body }: ReplayInput, host: string, signal: AbortSignal) {
    const [path = "", ...query] = target.split("?");
    this.method = method;
    this.path = path;
    this.search = query.join("?");
    this.host = host;
    this.signal = signal;
    this.#body = Buffer.from(body);
    const length = body === "" ? {} : { "content-length": String(this.#body.length) };
    this.#headers = { host, ...headers, ...length };
  }

  header(name: string): string | undefined {
    return Object.hasOwn(this.#headers, name) ? this.#headers[name] : undefined;
  }

  headers(): Record<string, string> {
    return Object.assign(Object.create(null), this.#headers);
  }

  async readBody(limit: number): Promise<Uint8Array> {
    if (this.#body.length > limit) throw new HttpError(413, "Payload Too Large");
    return this.#body;
  }
}
