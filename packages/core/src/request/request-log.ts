import type { Log } from "../log/log.ts";
import { isSecretInput } from "../log/log-redact.ts";
import { toSafeName } from "../log/safe-urls.ts";
import { BindError, describeValue, HttpError, type Issue } from "../support/errors.ts";
import { type Context, stateOf } from "./context.ts";
import type { ContextTools } from "./context-types.ts";
import { describeRoute, type MatchedRoute } from "./contract.ts";

const maxParamWarnings = 1000;

/** Warns once for each route and name; names may come from clients, so there is a limit. */
export function createParamWarning(log: Log): ContextTools["onUnknownParam"] {
  const warned = new Set<string>();
  return (matched: MatchedRoute, name: string) => {
    const route = describeRoute(matched);
    const key = `${route} ${name}`;
    if (warned.has(key) || warned.size >= maxParamWarnings) return;
    warned.add(key);
    log.warn(`${route} has no parameter :${name}: ctx.param(${JSON.stringify(name)}) is ""`);
  };
}

/**
 * Logs a failed request, unless the client caused the error. Rejected input is at `info` outside production. Requests
 * refused for load are counted.
 */
export function logError(ctx: Context, error: unknown, production = false): void {
  const overload = error instanceof HttpError ? findOverload(error) : undefined;
  if (error instanceof BindError) {
    ctx.log[production ? "debug" : "info"](
      { issues: toLoggedIssues(error) },
      `${toSafeName(ctx)}: the input was rejected`,
    );
  } else if (!(error instanceof HttpError)) ctx.log.error(toErrorFields(error), `${toSafeName(ctx)} failed`);
  else if (overload !== undefined) stateOf(ctx).tools.onOverload(overload);
  else if (error.status >= 500) ctx.log.error({ err: error }, `${toSafeName(ctx)} failed`);
}

/** The first cause, if it is a 503 with `Retry-After`: the application has more to do than it can. */
function findOverload(error: HttpError): HttpError | undefined {
  const { status, headers, cause } = error;
  if (cause instanceof HttpError) return findOverload(cause);
  return status === 503 && "retry-after" in headers && !(cause instanceof Error) ? error : undefined;
}

/** The rules that the input broke. Messages of a field like `password` are left out: some schemas quote the input. */
function toLoggedIssues({ issues }: BindError): Partial<Issue>[] {
  return issues.map(({ in: part = "body", path, rule, message }) => ({
    path: path || `(${part})`,
    rule,
    ...(path.split(".").some(isSecretInput) ? {} : { message }),
  }));
}

/** `throw null` and `throw "x"` are logged as such. */
function toErrorFields(error: unknown): Record<string, unknown> {
  if (error instanceof Error) return { err: error };
  return { err: new Error(`${describeValue(error)} was thrown, which is not an Error`), thrown: error };
}
