import type { Context } from "@tenon/core";
import { endsWithin, isForm, isSecretInput } from "@tenon/core/internal";
import { Redactor } from "@tenon/core/platform";
import { readSession } from "@tenon/web/platform";
import { redactQuery } from "../record/redact-query.ts";

/** Secrets are redacted by the same names as in logs. */
export interface RequestReport {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The fields of a form or of a JSON object. Empty for other bodies, and for one that cannot be read. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Empty without a session. */
  readonly session: Readonly<Record<string, unknown>>;
}

/** Milliseconds that a body or a session store gets: the page must not wait for a client or a store that is slow. */
const patience = 500;
const redactor = new Redactor();
const inputRedactor = new Redactor(isSecretInput);

export async function toRequestReport(ctx: Context): Promise<RequestReport> {
  const request = ctx.request();
  const [body, session] = await Promise.all([tryRead(() => readBody(ctx)), tryRead(() => readSession(ctx))]);
  return {
    method: ctx.method,
    path: ctx.path,
    params: redactor.redact(request.params()),
    query: inputRedactor.redact(readQueries(ctx)),
    headers: redactor.redact(withCleanReferer(request.headers())),
    body: inputRedactor.redact(body),
    session: redactor.redact(session),
  };
}

/** Empty when it fails or takes long: that may be the reason why the request failed. */
async function tryRead(read: () => Promise<object>): Promise<object> {
  let value: object = {};
  const reading = read().then(
    (found) => {
      value = found;
    },
    () => {},
  );
  await endsWithin(reading, patience);
  return value;
}

async function readBody(ctx: Context): Promise<object> {
  if (ctx.method === "GET" || ctx.method === "HEAD") return {};
  const type = ctx.header("content-type");
  if (isForm(type)) return (await ctx.request().form()).toRecord();
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) return {};
  const value: unknown = JSON.parse(Buffer.from(await ctx.request().body()).toString());
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : { body: value };
}

/** A malformed query may be the reason why the request failed. */
function readQueries(ctx: Context): Record<string, string> {
  try {
    const queries = Object.entries(ctx.request().queries());
    return Object.fromEntries(queries.map(([name, value]) => [name, redactQuery(value)])); // it may be a URL with a token
  } catch {
    return {};
  }
}

/** The URL of the previous page may hold a token. */
function withCleanReferer(headers: Record<string, string>): Record<string, string> {
  return headers.referer === undefined ? headers : { ...headers, referer: redactQuery(headers.referer) };
}
