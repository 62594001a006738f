import { Body, type Contract, Dto, type MiddlewareContract } from "@tenon/core";

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
    ...statusesOf(returns),
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

/** A schema alone is for 200. */
function statusesOf(returns: Contract["returns"]): string[] {
  if (returns === undefined) return [];
  return "~standard" in returns || returns instanceof Body ? ["200"] : Object.keys(returns);
}

function describePart(part: string, schema: unknown): string {
  return schema instanceof Body && schema.kind !== "json"
    ? `${part} (${[schema.kind, ...schema.types].join(" ")})`
    : part;
}

/** Those of a DTO; schemas of other libraries do not tell. */
function fieldsOf(schema: unknown): string[] {
  const inner = schema instanceof Body ? schema.schema : schema;
  return inner instanceof Dto ? Object.keys(inner.fields) : [];
}
