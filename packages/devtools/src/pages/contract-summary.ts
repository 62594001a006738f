import { Dto } from "@tenon/core";
import type { RouteInfo } from "@tenon/core/platform";

/** What an endpoint declares, in a few words each. */
export interface ContractSummary {
  readonly summary?: string;
  /** Part of the request → the names of its fields. */
  readonly accepts: readonly { readonly part: string; readonly fields: readonly string[] }[];
  /** Statuses that it declares, its middlewares included, in order. */
  readonly statuses: readonly number[];
  /** The names of the security schemes that its middlewares accept. */
  readonly security: readonly string[];
}

const parts = ["params", "query", "headers", "body"] as const;

export function toContractSummary({ contract = {}, body, returns, middlewareContracts }: RouteInfo): ContractSummary {
  const { errors = {}, summary } = contract;
  const statuses = [
    ...Object.keys(returns),
    ...Object.keys(errors),
    ...middlewareContracts.flatMap(({ errors = {} }) => Object.keys(errors)),
  ].map(Number);
  return {
    ...(summary === undefined ? {} : { summary }),
    accepts: parts.flatMap((part) => {
      if (contract[part] === undefined) return [];
      if (part !== "body") return { part, fields: fieldsOf(contract[part]) };
      return { part: describeBody(body), fields: fieldsOf(body?.schema) };
    }),
    statuses: [...new Set(statuses)].sort((one, other) => one - other),
    security: [...new Set(middlewareContracts.flatMap(({ security = {} }) => Object.keys(security)))],
  };
}

function describeBody(body: RouteInfo["body"]): string {
  return body === undefined || body.kind === "json" ? "body" : `body (${[body.kind, ...body.types].join(" ")})`;
}

/** Those of a DTO; schemas of other libraries do not tell. */
function fieldsOf(schema: unknown): string[] {
  return schema instanceof Dto ? Object.keys(schema.fields) : [];
}
