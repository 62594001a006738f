import { type Contract, Dto, type MiddlewareContract } from "@tenon/core";
import { returnsByStatus, toBody } from "@tenon/core/internal";

/** What an endpoint declares, in a few words each. */
export interface ContractSummary {
  readonly summary?: string;
  /** Part of the request → the names of its fields. */
  readonly accepts: readonly { readonly part: string; readonly fields: readonly string[] }[];
  /** Statuses that it declares, its guards included, in order. */
  readonly statuses: readonly number[];
  /** The names of the security schemes that its guards accept. */
  readonly security: readonly string[];
}

const parts = ["params", "query", "headers", "body"] as const;

export function toContractSummary(contract: Contract, guards: readonly MiddlewareContract[]): ContractSummary {
  const { returns, errors = {}, summary } = contract;
  const statuses = [
    ...Object.keys(returnsByStatus(returns)),
    ...Object.keys(errors),
    ...guards.flatMap((guard) => Object.keys(guard.errors ?? {})),
  ].map(Number);
  return {
    ...(summary === undefined ? {} : { summary }),
    accepts: parts.flatMap((part) => {
      const schema = contract[part];
      return schema === undefined ? [] : { part: describePart(part, schema), fields: fieldsOf(schema) };
    }),
    statuses: [...new Set(statuses)].sort((one, other) => one - other),
    security: [...new Set(guards.flatMap(({ security = {} }) => Object.keys(security)))],
  };
}

function describePart(part: string, schema: unknown): string {
  const { kind = "json", types = [] } = part === "body" ? (toBody(schema) ?? {}) : {};
  return kind === "json" ? part : `${part} (${[kind, ...types].join(" ")})`;
}

/** Those of a DTO; schemas of other libraries do not tell. */
function fieldsOf(schema: unknown): string[] {
  const inner = toBody(schema)?.schema;
  return inner instanceof Dto ? Object.keys(inner.fields) : [];
}
