import {
  type Contract,
  isDocumented,
  isSchema,
  type MiddlewareContract,
  returnsByStatus,
  type SecurityScheme,
  toBody,
} from "../request/contract.ts";
import { isDescribed, type NamedSchema, type Refer, toJsonSchema } from "../schema/json-schema.ts";
import type { Problem } from "../support/errors.ts";
import { describe } from "./conflict.ts";
import type { FlatRoute } from "./flatten.ts";

type Declared = Pick<FlatRoute, "method" | "path" | "owner" | "operationId" | "contract" | "guards">;

/** Names that the OpenAPI document and the typed client could not tell apart. Commands and hidden routes are in neither. */
export function findContractConflicts(routes: readonly Declared[]): Problem[] {
  const served = routes.filter(isDocumented);
  const messages = [...findTwinIds(served), ...findTwinDtos(served), ...findTwinSchemes(served)];
  return messages.map((message) => ({ code: "BAD_CONTRACT", message }));
}

/** Schemas of other libraries that say nothing about themselves: what they accept is missing in the document. */
export function findUndescribed(routes: readonly Declared[]): string[] {
  const served = routes.filter(isDocumented);
  return served.flatMap((route) => {
    const { params, query, headers, body, returns } = route.contract ?? {};
    const inputs = { params, query, headers, body: toBody(body)?.schema };
    const parts = [
      ...Object.entries(inputs).map(([part, schema]) => [part, schema, "input"] as const),
      ...Object.values(returnsByStatus(returns)).map((schema) => ["result", schema, "output"] as const),
    ];
    return parts.flatMap(([part, schema, direction]) => {
      if (!isSchema(schema) || isDescribed(schema, direction)) return [];
      const { vendor } = schema["~standard"];
      const cure = vendor === "valibot" ? " Wrap it: toStandardJsonSchema(schema) of @valibot/to-json-schema." : "";
      const where = `${describe(route)} of ${route.owner}`;
      return [`The document does not show the ${part} of ${where}: its ${vendor} schema has no JSON Schema.${cure}`];
    });
  });
}

function findTwinIds(routes: readonly Declared[]): string[] {
  const seen = new Map<string, Declared>();
  return routes.flatMap((route) => {
    const id = route.operationId;
    if (route.contract === undefined || id === undefined) return [];
    const other = seen.get(id);
    if (other === undefined) seen.set(id, route);
    if (other === undefined) return [];
    const both = `${describe(other)} of ${other.owner} and ${describe(route)} of ${route.owner}`;
    return [`${both} have the same operation id "${id}". Give each a field of its own, or an operationId.`];
  });
}

function findTwinDtos(routes: readonly Declared[]): string[] {
  const known = new Map<string, { readonly dto: NamedSchema; readonly route: Declared }>();
  const twins = new Map<NamedSchema, string>();
  for (const route of routes) {
    for (const dto of [route.contract, ...route.guards].flatMap(namedDtosOf)) {
      const { dto: other, route: first } = known.get(dto.name) ?? { dto, route };
      known.set(dto.name, { dto: other, route: first });
      if (other === dto || twins.has(dto)) continue;
      const places = `${describe(first)} of ${first.owner} and ${describe(route)} of ${route.owner}`;
      twins.set(dto, `${places} use two DTOs with the name "${dto.name}". Use one DTO for both, or rename one.`);
    }
  }
  return [...twins.values()];
}

/** Each contract is read once: routes may be added one by one. Nothing is kept for longer than the contract itself. */
const named = new WeakMap<Contract | MiddlewareContract, readonly NamedSchema[]>();

function namedDtosOf(contract: Contract | MiddlewareContract | undefined): readonly NamedSchema[] {
  if (contract === undefined) return [];
  const dtos = named.get(contract) ?? findNamedDtos(contract);
  named.set(contract, dtos);
  return dtos;
}

function findNamedDtos(contract: Omit<Contract, "headers"> & { readonly headers?: unknown }): readonly NamedSchema[] {
  const found = new Set<NamedSchema>();
  const refer: Refer = (dto, direction) => {
    if (!found.has(dto)) {
      found.add(dto);
      dto.toObjectSchema(direction, refer);
    }
    return {};
  };
  const { params, query, headers, body, returns, errors = {} } = contract;
  const parts: readonly unknown[] = [params, query, headers, toBody(body)?.schema];
  for (const schema of [...parts, ...Object.values(returnsByStatus(returns)), ...Object.values(errors)]) {
    if (isSchema(schema)) toJsonSchema(schema, "output", refer);
  }
  return [...found];
}

function findTwinSchemes(routes: readonly Declared[]): string[] {
  const known = new Map<string, { readonly scheme: SecurityScheme; readonly route: Declared }>();
  const twins = new Map<string, string>();
  for (const route of routes) {
    for (const [name, scheme] of route.guards.flatMap(({ security = {} }) => Object.entries(security))) {
      const other = known.get(name);
      if (other === undefined) known.set(name, { scheme, route });
      else if (JSON.stringify(other.scheme) !== JSON.stringify(scheme) && !twins.has(name)) {
        const places = `${describe(other.route)} of ${other.route.owner} and ${describe(route)} of ${route.owner}`;
        twins.set(name, `The guards of ${places} declare "${name}" as two security schemes. Rename one of them.`);
      }
    }
  }
  return [...twins.values()];
}
