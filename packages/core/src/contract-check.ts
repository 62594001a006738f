import type { Context } from "./context.ts";
import { type Contract, isSchema, type MiddlewareContract, returnsByStatus } from "./contract.ts";
import { findMismatches } from "./dto/check.ts";
import { HttpError, type Issue } from "./errors.ts";
import type { Handler } from "./record.ts";
import { Reply, toReply } from "./reply.ts";

/** A response that its contract does not declare. */
export interface ContractMismatch {
  /** `GET /posts/:id`, or a command. */
  readonly route: string;
  readonly status: number;
  readonly message: string;
  /** What differs from the schema of this status. */
  readonly issues: readonly Issue[];
}

export interface DeclaredRoute {
  readonly method: string | undefined;
  readonly path: string;
  readonly contract: Contract | undefined;
  readonly guards: readonly MiddlewareContract[];
}

/**
 * Compares every response of a route with its contract, guards included. For development and tests: in production the
 * declared fields are selected, and nothing is compared.
 */
export function checkContract(
  { method, path, contract, guards }: DeclaredRoute,
  run: Handler,
  report: (ctx: Context, mismatch: ContractMismatch) => void,
): Handler {
  if (contract?.returns === undefined && contract?.errors === undefined) return run;
  const route = [method, path].filter(Boolean).join(" ");
  const statuses = declaredStatuses(contract, guards);

  const compare = async (ctx: Context, { status, kind, value }: Reply): Promise<void> => {
    if (status >= 500 && !statuses.has(status)) return; // a failure, which is logged as such
    if (contract.returns === undefined && status < 400) return;
    if (!statuses.has(status)) {
      const known = [...statuses.keys()].sort().join(", ");
      report(ctx, {
        route,
        status,
        message: `${route} does not declare the status ${status}, only ${known}`,
        issues: [],
      });
      return;
    }
    const schema = statuses.get(status);
    if (schema === undefined || kind !== "json") return;
    const issues = await findMismatches(schema, value);
    if (issues.length === 0) return;
    const lines = issues.map(({ path: at, message }) => `\n  ${at === "" ? "(body)" : at}: ${message}`);
    const message = `${route} returned a body that its contract does not declare for ${status}:${lines.join("")}`;
    report(ctx, { route, status, message, issues });
  };
  const compareError = async (ctx: Context, error: unknown): Promise<void> => {
    if (error instanceof HttpError)
      await compare(ctx, new Reply(error.status, error.body === undefined ? "empty" : "json", error.body));
  };

  return async (ctx) => {
    let value: unknown;
    try {
      value = await run(ctx);
    } catch (error) {
      await compareError(ctx, error);
      throw error;
    }
    if (value instanceof HttpError) await compareError(ctx, value);
    else await compare(ctx, toReply(value));
    return value;
  };
}

/** Every status that a client may see, with the schema of its body where one is declared. */
function declaredStatuses(contract: Contract, guards: readonly MiddlewareContract[]) {
  const statuses = new Map<number, Parameters<typeof findMismatches>[0] | undefined>();
  for (const status of impliedStatuses(contract)) statuses.set(status, undefined);
  for (const [status, schema] of Object.entries(returnsByStatus(contract.returns))) {
    statuses.set(Number(status), isSchema(schema) ? schema : undefined);
  }
  for (const { errors } of [contract, ...guards]) {
    for (const [status, declared] of Object.entries(errors ?? {})) {
      statuses.set(Number(status), isSchema(declared) ? declared : undefined);
    }
  }
  return statuses;
}

/** What a route with such an input may respond without saying so: a rejected input, a body that is too large or too slow. */
export function impliedStatuses({ params, query, headers, body }: Contract): number[] {
  if (body !== undefined) return [400, 408, 413];
  return [params, query, headers].some((part) => part !== undefined) ? [400] : [];
}
