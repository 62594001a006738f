import { inspect } from "node:util";
import { BindError, type Context, type Issue, type MatchedRoute, type RouteInfo } from "@tenon/core";
import { describeValue, Redactor, type RequestLimits } from "@tenon/core/platform";
import { findSource, framesOf, type SourceExcerpt } from "./source-excerpt.ts";

export interface Failure {
  readonly status: number;
  /** What a client may read. */
  readonly message: string;
  /** What was thrown; absent when the handler returned `{ error }`. */
  readonly error?: unknown;
}

/** One error of a chain of causes. */
export interface ReportedError {
  readonly name: string;
  readonly message: string;
  /** The frames, one per line; "" when there are none. */
  readonly stack: string;
}

/** What the developer page shows about a failed request. The data of the view `errors/development`. */
export interface FailureReport {
  readonly status: number;
  readonly message: string;
  /** The error first, then its causes and the errors of an AggregateError. Empty when nothing was thrown. */
  readonly errors: readonly ReportedError[];
  /** The lines around the place that threw, in a file of the application. */
  readonly source: SourceExcerpt | undefined;
  /** The issues of a body that could not be bound. */
  readonly issues: readonly Issue[];
  readonly route: MatchedRoute | undefined;
  /** All routes, when none matched. */
  readonly routes: readonly RouteInfo[];
  /** The values of `web({ limits })`, when the request was too large. */
  readonly limits: Readonly<Record<string, number>>;
  /** Secrets are redacted by the same names as in logs. */
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly query: Readonly<Record<string, unknown>>;
    readonly headers: Readonly<Record<string, unknown>>;
  };
}

const mostErrors = 10;
const longestValue = 2000;
const redactor = new Redactor();

export interface ReportSources {
  readonly routes: () => readonly RouteInfo[];
  readonly limits: RequestLimits;
}

export function toFailureReport(failure: Failure, ctx: Context, sources: ReportSources): FailureReport {
  const { status, message, error } = failure;
  const chain = "error" in failure ? toChain(error) : []; // `throw undefined` is an error too
  const request = ctx.request();
  return {
    status,
    message,
    errors: chain.map((reason, index) => toReportedError(reason, index === 0)),
    source: findSource(chain),
    issues: error instanceof BindError ? error.issues : [],
    route: ctx.route,
    routes: status === 404 && ctx.route === undefined ? sources.routes() : [],
    limits: status === 413 ? toLimits(sources.limits) : {},
    request: {
      method: ctx.method,
      path: ctx.path,
      params: redactor.redact(request.params()),
      query: redactor.redact(readQueries(ctx)),
      headers: redactor.redact(withCleanReferer(request.headers())),
    },
  };
}

/** A malformed query may be the reason why the request failed. */
function readQueries(ctx: Context): Record<string, string> {
  try {
    return ctx.request().queries();
  } catch {
    return {};
  }
}

function toLimits({ body, formParts, files, fileSize }: RequestLimits): Record<string, number> {
  return { body, formParts, files, fileSize };
}

/** The URL of the previous page may hold a token. */
function withCleanReferer(headers: Record<string, string>): Record<string, string> {
  if (headers.referer === undefined) return headers;
  const referer = headers.referer.replaceAll(/([?&#;])([^=&#;]*)=[^&#;]*/g, (pair, mark: string, name: string) =>
    redactor.isSecret(decode(name)) ? `${mark}${name}=[redacted]` : pair,
  );
  return { ...headers, referer };
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function toChain(error: unknown): unknown[] {
  const chain: unknown[] = [];
  const add = (next: unknown): void => {
    if (chain.length >= mostErrors || chain.includes(next)) return;
    chain.push(next);
    if (!(next instanceof Error)) return;
    if (next.cause !== undefined) add(next.cause);
    if (next instanceof AggregateError && Array.isArray(next.errors)) next.errors.forEach(add);
  };
  add(error);
  return chain;
}

function toReportedError(error: unknown, isThrown: boolean): ReportedError {
  if (error instanceof Error) return { name: error.name, message: error.message, stack: framesOf(error) };
  const value = describeReason(error);
  return { name: "", message: isThrown ? `${value} was thrown` : value, stack: "" };
}

/** With its content, without secrets. */
function describeReason(value: unknown): string {
  if (typeof value !== "object" || value === null) return describeValue(value);
  const { value: clean } = redactor.redact({ value });
  const content = inspect(clean, { depth: 3 }).replaceAll("[Object: null prototype] ", "");
  return `${describeValue(value)} ${content.slice(0, longestValue)}`;
}
