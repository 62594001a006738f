import type { MiddlewareContract } from "../request/contract.ts";
import type { Components } from "./components.ts";

/** Schemes by name, all of which a request must satisfy. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** The alternatives of a route: one scheme of each guard. Empty for a public route. */
export function toSecurity(contracts: readonly MiddlewareContract[], components: Components): SecurityRequirement[] {
  let alternatives: SecurityRequirement[] = [{}];
  for (const { security = {}, optional = false } of contracts) {
    const schemes = Object.entries(security);
    for (const [name, scheme] of schemes) components.addScheme(name, scheme);
    const own: SecurityRequirement[] = schemes.map(([name]) => ({ [name]: [] }));
    if (optional || own.length === 0) own.push({});
    alternatives = alternatives.flatMap((outer) => own.map((inner) => ({ ...outer, ...inner })));
  }
  const unique = new Map(alternatives.map((one) => [JSON.stringify(Object.keys(one).sort()), one]));
  return unique.size === 1 && unique.has("[]") ? [] : [...unique.values()];
}
