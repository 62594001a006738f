import { type Arbitraries, isFreeText } from "../arbitrary.ts";
import type { Operation } from "../operation.ts";
import { AssignAttack } from "./assign-attack.ts";
import type { Attack, AttackTools } from "./attack.ts";
import { IdAttack } from "./id-attack.ts";
import { CountAttack, CursorAttack, ListAttack, SearchAttack } from "./list-attack.ts";
import { LiveAttack } from "./live-attack.ts";
import { isCursor } from "./places.ts";

/** All attacks on the operations, those that change nothing first. */
export function toAttacks(tools: AttackTools, operations: readonly Operation[], arbitraries: Arbitraries): Attack[] {
  const reads = operations.filter(({ method, live }) => method === "GET" && live === undefined);
  const writes = operations.filter(({ method }) => method !== "GET");
  return [
    ...reads.map((operation) => new ListAttack(tools, operation)),
    ...reads.flatMap((operation) => toSearchAttacks(tools, operation)),
    ...[...reads, ...writes].flatMap((operation) => toIdAttacks(tools, operation)),
    ...reads.filter(({ path }) => !path.includes("{")).map((operation) => new CountAttack(tools, operation)),
    ...reads.flatMap((operation) =>
      tools.builder
        .placesOf(operation)
        .filter((place) => place.in === "path")
        .map((place) => new IdAttack(tools, { ...operation, method: "HEAD" }, place, { scope: "all" })),
    ),
    ...writes
      .filter(({ body, method }) => body !== undefined && method !== "DELETE")
      .map((operation) => new AssignAttack(tools, operation, arbitraries)),
    ...[...reads, ...writes].flatMap((operation) => toDeletedAttacks(tools, operation)),
    ...operations
      .filter(({ live }) => live !== undefined)
      .flatMap((operation) => toLiveAttacks(tools, operation, arbitraries)),
  ];
}

/** Text parameters of a query that are not ids and have no form. */
function toSearchAttacks(tools: AttackTools, operation: Operation): Attack[] {
  const ids = new Set(tools.builder.placesOf(operation).flatMap(({ keys }) => keys));
  return operation.parameters
    .filter(({ in: at, name, schema }) => at === "query" && !ids.has(name) && isFreeText(schema))
    .map(({ name }) => new SearchAttack(tools, operation, name));
}

function toIdAttacks(tools: AttackTools, operation: Operation): Attack[] {
  const places = tools.builder.placesOf(operation);
  const inPath = places.filter((place) => place.in === "path");
  return places.flatMap((place): Attack[] => {
    if (isCursor(place)) return [new CursorAttack(tools, operation, place)];
    if (place.in === "path" && inPath.length === 1) return [new IdAttack(tools, operation, place, { scope: "one" })];
    // with several ids in the path, both: the owner's whole path, and one id of the owner below the attacker's own
    const isInner = place === inPath.at(-1);
    return [
      ...(isInner ? [new IdAttack(tools, operation, place, { scope: "all" })] : []),
      new IdAttack(tools, operation, place, { scope: "one" }),
      ...(place.isList ? [new IdAttack(tools, operation, place, { scope: "one", isFirst: true })] : []),
    ];
  });
}

function toDeletedAttacks(tools: AttackTools, operation: Operation): Attack[] {
  const place = tools.builder.placesOf(operation).findLast((one) => one.in === "path");
  const kinds = place === undefined ? [] : tools.world.kindsOf(operation, place);
  if (place === undefined || !kinds.some((kind) => tools.setup.deleters.has(kind))) return [];
  return [new IdAttack(tools, operation, place, { scope: "all", isDeleted: true })];
}

function toLiveAttacks(tools: AttackTools, operation: Operation, arbitraries: Arbitraries): Attack[] {
  const places = tools.builder.placesOf(operation).filter(({ in: at }) => at !== "body");
  const all = places.length === 0 ? [undefined] : places;
  return all.map((place) => new LiveAttack(tools, operation, place, arbitraries));
}
