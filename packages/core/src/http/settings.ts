import { defaultRequestLimits, type RequestLimits } from "../body/body-reader.ts";
import { isToken } from "../body/grammar.ts";
import type { ErrorFormat } from "../error-format.ts";
import { describeValue, type Problem } from "../errors.ts";
import type { OpenApiInfo } from "../openapi/document.ts";
import { checkNames, namesOf, refuseOption } from "../options.ts";
import { Docs, type DocsOptions } from "./docs.ts";
import { type ErrorFormatName, toErrorFormat } from "./error-formats.ts";
import type { UpgradeHandler } from "./message.ts";

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
  /** The same for all clients together. Past it the slowest readers are disconnected. */
  readonly pendingBytesTotal: number;
  /** How long a stop waits for running requests before it closes their connections. */
  readonly stopTimeout: number;
}

export interface HttpOptions {
  readonly limits?: Partial<HttpLimits>;
  /** Peers whose `X-Forwarded-*` headers count, as addresses or CIDR ranges. None by default. */
  readonly trustedProxies?: readonly string[];
  /** Headers that a request may carry only once, in addition to the defaults. A repeated one is refused with 400. */
  readonly singleHeaders?: readonly string[];
  /** Takes over connections whose client asks for another protocol. Without one, an upgrade is handled as plain HTTP. */
  readonly upgrade?: UpgradeHandler;
  /** `wire` is the framework's own HTTP server; `node` uses node:http. Defaults to HTTP_ENGINE, then to `wire`. */
  readonly engine?: "wire" | "node";
  /**
   * How errors are written, those of the HTTP server included: `plain` is `{ error }`, `issues` adds what is wrong with
   * rejected input, `problem` is RFC 9457. `errorFormat()` changes the status of rejected input. Defaults to `plain`.
   */
  readonly errors?: ErrorFormatName | ErrorFormat;
  /** What the OpenAPI document says about the application: its title, version and servers. */
  readonly openapi?: OpenApiInfo;
  /** Serves the OpenAPI document at `/openapi.json`, and a page that shows it at `/docs`. Defaults to false. */
  readonly docs?: boolean | DocsOptions;
}

export interface HttpSettings {
  readonly limits: HttpLimits;
  readonly trustedProxies: readonly string[];
  readonly singleHeaders: SingleHeaders;
  readonly upgrade: UpgradeHandler | undefined;
  readonly engine: "wire" | "node" | undefined;
  readonly errors: ErrorFormat;
  readonly openapi: OpenApiInfo;
  readonly docs: Docs | undefined;
  /** The platform as messages and routes name it: `api()`. */
  readonly platform: string;
}

const infoNames = namesOf<OpenApiInfo>({
  title: true,
  version: true,
  summary: true,
  description: true,
  termsOfService: true,
  contact: true,
  license: true,
  servers: true,
  tags: true,
});

/** Of these, two parties on the way of a request could each read another value. */
const defaultSingleHeaders = [
  "host",
  "content-length",
  "transfer-encoding",
  "content-type",
  "authorization",
  "x-api-key",
] as const;
const maxSingleHeaders = 30; // each has a bit in a 32-bit number

const defaultLimits: HttpLimits = Object.freeze({
  ...defaultRequestLimits,
  uri: 8 * 1024,
  headerBytes: 16 * 1024,
  headerCount: 200,
  headerTimeout: 10_000,
  requestTimeout: 30_000,
  keepAlive: 5_000,
  pendingBytes: 32 * 1024 * 1024,
  pendingBytesTotal: 48 * 1024 * 1024,
  stopTimeout: 10_000,
});

/**
 * An idle connection is kept longer than its `Keep-Alive` header announces: a client that obeys the header never sends a
 * request on a connection that is being closed.
 */
export const keepAliveMargin = 1.2;

/** `taker` is the platform as a message names it: `api()`. */
export function toHttpSettings(options: HttpOptions, taker = "api()"): HttpSettings {
  checkSingleHeaders(options.singleHeaders ?? []);
  checkEngine(options.engine);
  const { limits, trustedProxies = [], singleHeaders = [], upgrade, engine } = options;
  const single = toSingleHeaders([...defaultSingleHeaders, ...singleHeaders.map((name) => name.toLowerCase())]);
  const { openapi = {}, docs = false } = options;
  checkNames(`openapi of ${taker}`, openapi, infoNames);
  return {
    limits: { ...defaultLimits, ...limits },
    trustedProxies,
    singleHeaders: single,
    upgrade,
    engine,
    errors: toErrorFormat(options.errors, taker),
    openapi,
    docs: docs === false ? undefined : new Docs(docs === true ? {} : docs, taker),
    platform: taker,
  };
}

/** Headers that a request may carry once, by the length of their names. Each has a bit of its own. */
export type SingleHeaders = readonly (readonly { readonly name: string; readonly bit: number }[] | undefined)[];

function toSingleHeaders(names: Iterable<string>): SingleHeaders {
  const byLength: { name: string; bit: number }[][] = [];
  for (const [index, name] of [...new Set(names)].entries()) {
    const same = byLength[name.length] ?? [];
    same.push({ name, bit: 2 ** index });
    byLength[name.length] = same;
  }
  return byLength;
}

const largest = 2 ** 31 - 1; // node:timers treats a longer delay as one millisecond

export function checkLimits(limits: HttpLimits): Problem[] {
  return Object.entries(limits).flatMap(([name, value]): Problem[] => {
    if (!Object.hasOwn(defaultLimits, name)) {
      const message = `limits.${name} is not a limit. Limits: ${Object.keys(defaultLimits).join(", ")}.`;
      return [{ code: "BAD_OPTION", message }];
    }
    if (Number.isSafeInteger(value) && value >= 1 && value <= largest) return [];
    const message = `limits.${name} is ${String(value)}. It takes a whole number from 1 to ${largest}.`;
    return [{ code: "BAD_OPTION", message }];
  });
}

function checkSingleHeaders(names: unknown): void {
  if (!Array.isArray(names)) refuseOption(`singleHeaders is ${describeValue(names)}. Write a list of header names.`);
  for (const name of names) {
    if (typeof name !== "string" || !isToken(name)) {
      refuseOption(`singleHeaders has ${describeValue(name)}. It takes header names, for example "x-tenant".`);
    }
  }
  if (names.length + defaultSingleHeaders.length > maxSingleHeaders) {
    refuseOption(
      `singleHeaders has ${names.length} names. It takes at most ${maxSingleHeaders - defaultSingleHeaders.length}.`,
    );
  }
}

function checkEngine(engine: unknown): void {
  if (engine === undefined || engine === "wire" || engine === "node") return;
  refuseOption(`engine is ${describeValue(engine)}. Use "wire" or "node".`);
}
