import { describeRoute, isDocumented, isSchema } from "../request/contract.ts";
import { type NamedSchema, type Refer, toJsonSchema } from "../schema/json-schema.ts";
import type { Problem } from "../support/errors.ts";
import { shapeOf } from "../support/pattern.ts";
import type { FlatRoute } from "./flatten.ts";

/** A name that only one of its kind may have. */
interface Named {
  readonly name: string;
  readonly value: unknown;
  readonly route: FlatRoute;
}

/** Two routes of one method and one shape: only one of them could ever match. */
export function findDuplicateRoutes(routes: readonly FlatRoute[]): Problem[] {
  const shapes = routes.map((route) => ({ name: `${route.method} ${shapeOf(route.pattern)}`, value: route, route }));
  return findTwins(shapes, ({ route: first }, { route }) => {
    const as = first.path === route.path ? "" : ` as ${describeRoute(first)}`;
    const message = `${describeRoute(route)} of ${route.owner} is already declared by ${first.owner}${as}. Remove one of them or change its path.`;
    return { code: "DUPLICATE_ROUTE", message };
  });
}

/** Names that the OpenAPI document and the typed client could not tell apart. Commands and hidden routes are in neither. */
export function findDuplicateNames(routes: readonly FlatRoute[]): Problem[] {
  const served = routes.filter(isDocumented);
  const ids = served.flatMap((route): Named[] => {
    const { contract, operationId: name } = route;
    return contract === undefined || name === undefined ? [] : [{ name, value: route, route }];
  });
  const dtos = served.flatMap((route) => findNamedDtos(route).map((dto) => ({ name: dto.name, value: dto, route })));
  const schemes = served.flatMap((route) =>
    route.middlewareContracts
      .flatMap(({ security = {} }) => Object.entries(security))
      .map(([name, scheme]) => ({ name, value: JSON.stringify(scheme), route })),
  );
  const findBoth = (all: readonly Named[], explain: (name: string) => string) =>
    findTwins(all, ({ route: first }, { name, route }) => {
      const both = `${describeRoute(first)} of ${first.owner} and ${describeRoute(route)} of ${route.owner}`;
      return { code: "BAD_CONTRACT", message: `${both} have ${explain(name)}` };
    });
  return [
    ...findBoth(ids, (id) => `the same operation id "${id}". Give each a field of its own, or an operationId.`),
    ...findBoth(dtos, (name) => `two DTOs with the name "${name}". Use one DTO for both, or rename one.`),
    ...findBoth(schemes, (name) => `guards with two security schemes "${name}". Rename one of them.`),
  ];
}

/** A problem for each value whose name another one has, the first time that it is met. */
function findTwins(all: readonly Named[], toProblem: (first: Named, twin: Named) => Problem): Problem[] {
  const known = new Map<string, Named>();
  const reported = new Set<unknown>();
  return all.flatMap((one) => {
    const first = known.get(one.name) ?? one;
    known.set(one.name, first);
    if (first.value === one.value || reported.has(one.value)) return [];
    reported.add(one.value);
    return [toProblem(first, one)];
  });
}

function findNamedDtos({ contract = {}, body, returns, middlewareContracts }: FlatRoute): NamedSchema[] {
  const found = new Set<NamedSchema>();
  const refer: Refer = (dto, direction) => {
    if (!found.has(dto)) {
      found.add(dto);
      dto.toObjectSchema(direction, refer);
    }
    return {};
  };
  const { params, query, headers } = contract;
  const errors = [contract, ...middlewareContracts].flatMap((declared) => Object.values(declared.errors ?? {}));
  for (const schema of [params, query, headers, body?.schema, ...Object.values(returns), ...errors]) {
    if (isSchema(schema)) toJsonSchema(schema, "output", refer);
  }
  return [...found];
}
