import type { ServerLimits, ServerOptions } from "@tenon/server";
import { parseRange, defaultLimits as serverLimits, toSingleHeaders } from "@tenon/server/internal";
import { defaultRequestLimits, type RequestLimits } from "../body/limits.ts";
import { isDevelopment } from "../config/environment.ts";
import type { OpenApiInfo } from "../openapi/document.ts";
import { type ErrorFormat, type ErrorFormatName, toErrorFormat } from "../request/error-format.ts";
import { checkOptions, type OptionTable, takes } from "../support/options.ts";
import { Docs, type DocsOptions } from "./docs.ts";

/** Every limit of an HTTP application, in bytes and milliseconds. */
export interface HttpLimits extends RequestLimits, ServerLimits {}

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

export interface HttpSettings extends Pick<ServerOptions, "trustedProxies" | "singleHeaders"> {
  readonly limits: HttpLimits;
  readonly engine: "wire" | "node" | undefined;
  readonly errors: ErrorFormat;
  readonly openapi: OpenApiInfo;
  readonly docs: Docs | undefined;
  /** Whether a JSON body may be sent as a form too. */
  readonly readsForms: boolean;
}

const defaultLimits: HttpLimits = Object.freeze({ ...serverLimits, ...defaultRequestLimits });

const largest = 2 ** 31 - 1; // node:timers treats a longer delay as one millisecond
const limit = takes.wholeNumber(1, largest);
const rejected = takes.wholeNumber(400, 499);

const optionTable: OptionTable<HttpOptions> = {
  limits: Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, limit])),
  trustedProxies: takes.listOf(
    (range) => parseRange(String(range)) !== undefined,
    'It takes addresses and CIDR ranges, for example ["10.0.0.0/8"].',
  ),
  singleHeaders: true,
  engine: true,
  errors: { type: true, toBody: true, toSchema: true, rejectedStatus: rejected, malformedStatus: rejected },
  openapi: true,
  docs: { path: true, document: true, public: true, middlewares: true },
};

/**
 * Checks the options of an HTTP platform and adds the defaults. `owner` is the platform as messages name it, and `table`
 * checks the options that it adds.
 */
export function toHttpSettings<T extends HttpOptions>(
  owner: string,
  options: T,
  table: OptionTable<Omit<T, keyof HttpOptions>>,
): HttpSettings {
  checkOptions(owner, options, { ...table, ...optionTable } as OptionTable<T>); // the options of T and those of HttpOptions
  const { limits = {}, trustedProxies = [], singleHeaders, engine } = options;
  const { openapi = {}, docs = false } = options;
  const given = Object.entries(limits).filter(([, value]) => value !== undefined); // undefined would be no limit at all
  return {
    limits: { ...defaultLimits, ...Object.fromEntries(given) },
    trustedProxies,
    singleHeaders: toSingleHeaders(singleHeaders),
    engine,
    errors: toErrorFormat(options.errors),
    openapi,
    docs: docs === false ? undefined : toDocs(docs === true ? {} : docs),
    readsForms: false,
  };
}

/** Undefined where it is not served. */
function toDocs(options: DocsOptions): Docs | undefined {
  const { public: isPublic = false, middlewares = [] } = options;
  return isPublic || middlewares.length > 0 || isDevelopment() ? new Docs(options) : undefined;
}
