import { defaultRequestLimits, type RequestLimits } from "../body/body-reader.ts";
import { isToken } from "../body/grammar.ts";
import { isDevelopment } from "../config/environment.ts";
import { type ErrorFormat, type ErrorFormatName, errorsCheck, toErrorFormat } from "../error-format.ts";
import { type Problem, StartError } from "../errors.ts";
import { Docs, type DocsOptions, docsTable } from "../openapi/docs.ts";
import type { OpenApiInfo } from "../openapi/document.ts";
import { findBadOptions, type OptionTable, takes } from "../support/options.ts";
import { checkProxies } from "./ip-range.ts";

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
  /** The same for all clients together. Beyond it, the slowest readers are disconnected. */
  readonly pendingBytesTotal: number;
  /** Bytes of all request bodies that are arriving or being handled. Beyond it, the oldest get 503. */
  readonly bodyBytesTotal: number;
  /** How long a stop waits for running requests before it closes their connections. */
  readonly stopTimeout: number;
}

export interface HttpOptions {
  readonly limits?: Partial<HttpLimits>;
  /** Peers whose `X-Forwarded-*` headers count, as addresses or CIDR ranges. None by default. */
  readonly trustedProxies?: readonly string[];
  /** Headers that a request may carry only once, in addition to the defaults. A repeated one is refused with 400. */
  readonly singleHeaders?: readonly string[];
  /** `wire` is the framework's own HTTP server; `node` uses node:http. Defaults to HTTP_ENGINE, then to `wire`. */
  readonly engine?: "wire" | "node";
  /**
   * How errors are written, those of the HTTP server included: `plain` is `{ error }`, `issues` adds what is wrong with
   * rejected input, `problem` is RFC 9457. `errorFormat()` changes the status of rejected input. Defaults to `plain`.
   */
  readonly errors?: ErrorFormatName | ErrorFormat;
  /** What the OpenAPI document says about the application: its title, version and servers. */
  readonly openapi?: OpenApiInfo;
  /**
   * Serves the OpenAPI document at `/openapi.json`, and a page that shows it at `/docs`: with true in a process that was
   * started for development, with `{ public: true }` or guards in `{ middlewares }` everywhere. Defaults to false.
   */
  readonly docs?: boolean | DocsOptions;
}

export interface HttpSettings {
  readonly limits: HttpLimits;
  readonly trustedProxies: readonly string[];
  readonly singleHeaders: SingleHeaders;
  readonly engine: "wire" | "node" | undefined;
  readonly errors: ErrorFormat;
  readonly openapi: OpenApiInfo;
  readonly docs: Docs | undefined;
  /** The platform as messages and routes name it: `api()`. */
  readonly platform: string;
}

const infoTable: OptionTable<OpenApiInfo> = {
  title: takes.text,
  version: takes.text,
  summary: takes.text,
  description: takes.text,
  termsOfService: takes.text,
  contact: takes.anything,
  license: takes.anything,
  servers: takes.list,
  tags: takes.anything,
};

/** Headers that a request may carry once: two servers could otherwise read different values. */
const defaultSingleHeaders = [
  "host",
  "content-length",
  "transfer-encoding",
  "content-type",
  "authorization",
  "x-api-key",
] as const;
const moreSingleHeaders = 30 - defaultSingleHeaders.length; // each has a bit in a 32-bit number
const isName = (name: unknown) => typeof name === "string" && isToken(name);
const headerNames = takes.listOf(isName, 'It takes header names, for example "x-tenant".');

/** Stops the start with every fault of the options of an HTTP platform. `table` has the options of this platform alone. */
export function checkHttpOptions<T extends HttpOptions>(
  owner: string,
  options: T,
  table: OptionTable<Omit<T, keyof HttpOptions>>,
): void {
  const all = { ...table, ...httpTable(options) } as OptionTable<T>; // the options of T and those of HttpOptions
  const { limits, trustedProxies } = Object(options) as HttpOptions; // plain JavaScript can pass anything
  const problems = [
    ...findBadOptions(owner, options, all),
    ...checkLimits(limits ?? {}),
    ...checkProxies(trustedProxies ?? []),
  ];
  if (problems.length > 0) throw new StartError(problems);
}

function httpTable(options: HttpOptions): OptionTable<HttpOptions> {
  return {
    limits: takes.anything, // checkLimits() and checkProxies() check them
    trustedProxies: takes.anything,
    singleHeaders: (names) =>
      Array.isArray(names) && names.length > moreSingleHeaders
        ? `has ${names.length} names. It takes at most ${moreSingleHeaders}.`
        : headerNames(names),
    engine: takes.oneOf(["wire", "node"]),
    errors: errorsCheck,
    openapi: infoTable,
    docs: typeof options?.docs === "object" ? docsTable : takes.flag,
  };
}

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
  bodyBytesTotal: 128 * 1024 * 1024,
  stopTimeout: 10_000,
});

/**
 * An idle connection is kept longer than its `Keep-Alive` header announces: a client that obeys the header never sends a
 * request on a connection that is being closed.
 */
export const keepAliveMargin = 1.2;

/** `owner` is the platform as messages name it: `api()`. */
export function toHttpSettings(options: HttpOptions, owner = "api()"): HttpSettings {
  const { limits, trustedProxies = [], singleHeaders = [], engine } = options;
  const single = toSingleHeaders([...defaultSingleHeaders, ...singleHeaders.map((name) => name.toLowerCase())]);
  const { openapi = {}, docs = false } = options;
  return {
    limits: { ...defaultLimits, ...limits },
    trustedProxies,
    singleHeaders: single,
    engine,
    errors: toErrorFormat(options.errors),
    openapi,
    docs: docs === false ? undefined : toDocs(docs === true ? {} : docs),
    platform: owner,
  };
}

/** Undefined where it is not served. */
function toDocs(options: DocsOptions): Docs | undefined {
  const { public: isPublic = false, middlewares = [] } = options;
  return isPublic || middlewares.length > 0 || isDevelopment() ? new Docs(options) : undefined;
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

function checkLimits(limits: Partial<HttpLimits>): Problem[] {
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
