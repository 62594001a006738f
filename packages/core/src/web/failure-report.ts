import type { Context, MatchedRoute } from "../context/context.ts";
import { BindError, describeValue, type Issue } from "../errors.ts";
import { Redactor } from "../log-redact.ts";
import type { RouteInfo } from "../route/table.ts";
import { findSource, framesOf, type SourceExcerpt } from "./source-excerpt.ts";

export interface Failure {
  readonly status: number;
  /** What a client may read. */
  readonly message: string;
  /** What was thrown; left out when the handler answered `{ error }`. */
  readonly error?: unknown;
}

/** One error of a chain: what was thrown, and what caused it. */
export interface ReportedError {
  readonly name: string;
  readonly message: string;
  /** The frames, one a line; "" when there are none. */
  readonly stack: string;
}

/** All that a developer wants to know about a failed request. The data of the view `errors/development`. */
export interface FailureReport {
  readonly status: number;
  readonly message: string;
  /** The error first, then its causes. Empty when nothing was thrown. */
  readonly errors: readonly ReportedError[];
  /** The lines around the place where it failed, in a file of the application. */
  readonly source: SourceExcerpt | undefined;
  /** What was wrong with the body, when it could not be bound. */
  readonly issues: readonly Issue[];
  readonly route: MatchedRoute | undefined;
  /** All routes, when none matched. */
  readonly routes: readonly RouteInfo[];
  /** Secrets are replaced, by the names that hide them in logs. */
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly query: Readonly<Record<string, unknown>>;
    readonly headers: Readonly<Record<string, unknown>>;
  };
}

const mostErrors = 5;
const redactor = new Redactor();

export function toFailureReport(
  { status, message, error }: Failure,
  ctx: Context,
  routes: () => readonly RouteInfo[],
): FailureReport {
  const chain = toChain(error);
  const request = ctx.request();
  return {
    status,
    message,
    errors: chain.map(toReportedError),
    source: findSource(chain),
    issues: error instanceof BindError ? error.issues : [],
    route: ctx.route,
    routes: status === 404 && ctx.route === undefined ? routes() : [],
    request: {
      method: ctx.method,
      path: ctx.path,
      params: redactor.redact(request.params()),
      query: redactor.redact(readQueries(ctx)),
      headers: redactor.redact(request.headers()),
    },
  };
}

/** A query that cannot be read may be the reason why the request failed. */
function readQueries(ctx: Context): Record<string, string> {
  try {
    return ctx.request().queries();
  } catch {
    return {};
  }
}

function toChain(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next !== undefined && chain.length < mostErrors && !chain.includes(next); ) {
    chain.push(next);
    next = next instanceof Error ? next.cause : undefined;
  }
  return chain;
}

function toReportedError(error: unknown): ReportedError {
  if (!(error instanceof Error)) return { name: "", message: `${describeValue(error)} was thrown`, stack: "" };
  return { name: error.name, message: error.message, stack: framesOf(error) };
}
