import { inspect } from "node:util";
import { BindError, type Context, type Issue } from "@tenon/core";
import { describeValue } from "@tenon/core/internal";
import { Redactor, type RouteInfo } from "@tenon/core/platform";
import type { SourceExcerpt } from "../error-text/code-frame.ts";
import { findHints } from "../error-text/hints.ts";
import { framesOf } from "../error-text/stack-frame.ts";
import { type ReportedFrame, toFrames } from "./reported-frame.ts";
import { type RequestReport, toRequestReport } from "./request-report.ts";

export interface RequestError {
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
  /** The statement of a database that failed. */
  readonly sql: string | undefined;
  /** The frames, one per line; "" when there are none. */
  readonly stack: string;
  /** The same frames with their places, and with the source of those of the application. */
  readonly frames: readonly ReportedFrame[];
}

/** What the developer page shows about a failed request. The data of the view `errors/development`. */
export interface ErrorReport {
  readonly status: number;
  readonly message: string;
  /** The error first, then its causes and the errors of an AggregateError. Empty when nothing was thrown. */
  readonly errors: readonly ReportedError[];
  /** The lines around the place that threw, in a file of the application. */
  readonly source: SourceExcerpt | undefined;
  /** The issues of a body that could not be bound. */
  readonly issues: readonly Issue[];
  readonly route: Context["route"];
  /** All routes, when none matched. */
  readonly routes: readonly RouteInfo[];
  /** The values of `web({ limits })`, when the request was too large. */
  readonly limits: Readonly<Record<string, number>>;
  /** How to solve a known problem. */
  readonly hints: readonly string[];
  readonly request: RequestReport;
  /** The page of the request in the developer tools, `/_dev/requests/1f0c93a2be`; undefined without them. */
  readonly requestPage: string | undefined;
}

const mostErrors = 10;
const longestValue = 2000;
const redactor = new Redactor();

type LimitName = "body" | "formParts" | "files" | "fileSize";

export interface ReportSources {
  /** Shown where none of them matched. */
  readonly routes: () => readonly RouteInfo[];
  /** Shown where a request was too large. */
  readonly limits?: Readonly<Record<LimitName, number>>;
  /** The value of TENON_EDITOR. */
  readonly editor: string | undefined;
  /** The page of the current request in the developer tools. */
  readonly requestPage: () => string | undefined;
}

export async function toErrorReport(
  requestError: RequestError,
  ctx: Context,
  sources: ReportSources,
): Promise<ErrorReport> {
  const { status, message, error } = requestError;
  const chain = "error" in requestError ? toChain(error) : []; // `throw undefined` is an error too
  const errors = chain.map((reason, index) => toReportedError(reason, index === 0, sources.editor));
  return {
    status,
    message,
    errors,
    source: errors.flatMap(({ frames }) => frames).find(({ source }) => source !== undefined)?.source,
    hints: toHints(errors),
    issues: error instanceof BindError ? error.issues : [],
    route: ctx.route,
    routes: status === 404 && ctx.route === undefined ? sources.routes() : [],
    limits: status === 413 && sources.limits !== undefined ? toLimits(sources.limits) : {},
    request: await toRequestReport(ctx),
    requestPage: sources.requestPage(),
  };
}

function toHints(errors: readonly ReportedError[]): string[] {
  const excerpts = errors.flatMap(({ frames }) => frames.flatMap(({ source }) => source?.lines ?? []));
  return findHints({
    text: errors.map(({ name, message }) => `${name}: ${message}`).join("\n"),
    source: excerpts.map(({ text }) => text).join("\n"),
  });
}

function toLimits({ body, formParts, files, fileSize }: Readonly<Record<LimitName, number>>): Record<string, number> {
  return { body, formParts, files, fileSize };
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

function toReportedError(error: unknown, isThrown: boolean, editor: string | undefined): ReportedError {
  if (error instanceof Error) {
    const { name, message, sql } = error as Error & { readonly sql?: unknown }; // StoreError has it
    return {
      name,
      message,
      sql: typeof sql === "string" ? sql : undefined,
      stack: framesOf(error),
      frames: toFrames(error, editor),
    };
  }
  const value = describeReason(error);
  return { name: "", message: isThrown ? `${value} was thrown` : value, sql: undefined, stack: "", frames: [] };
}

/** With its content, without secrets. */
function describeReason(value: unknown): string {
  if (typeof value !== "object" || value === null) return describeValue(value);
  const { value: clean } = redactor.redact({ value });
  const content = inspect(clean, { depth: 3 }).replaceAll("[Object: null prototype] ", "");
  return `${describeValue(value)} ${content.slice(0, longestValue)}`;
}
