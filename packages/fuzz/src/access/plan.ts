import { isFreeText } from "../arbitrary.ts";
import type { Operation } from "../operation.ts";
import { AssignAttack } from "./assign-attack.ts";
import type { Attack, AttackTools } from "./attack.ts";
import { IdAttack } from "./id-attack.ts";
import { countAttack, cursorAttack, listAttack, searchAttack } from "./list-attack.ts";
import { LiveAttack } from "./live-attack.ts";
import { isCursor, nameOf } from "./places.ts";

/** All attacks on the operations, those that change nothing first. */
export function toAttacks(tools: AttackTools, operations: readonly Operation[]): Attack[] {
  const reads = operations.filter(({ method, live }) => method === "GET" && live === undefined);
  const writes = operations.filter(({ method }) => method !== "GET");
  return [
    ...reads.map((operation) => listAttack(tools, operation)),
    ...reads.flatMap((operation) => toSearchAttacks(tools, operation)),
    ...[...reads, ...writes].flatMap((operation) => toIdAttacks(tools, operation)),
    ...reads.filter(({ path }) => !path.includes("{")).map((operation) => countAttack(tools, operation)),
    ...reads.flatMap((operation) => toWholeAttacks(tools, { ...operation, method: "HEAD" }, false)),
    ...writes
      .filter(({ body, method }) => body !== undefined && method !== "DELETE")
      .map((operation) => new AssignAttack(tools, operation)),
    ...[...reads, ...writes].flatMap((operation) => toWholeAttacks(tools, operation, true)),
    ...operations.filter(({ live }) => live !== undefined).flatMap((operation) => toLiveAttacks(tools, operation)),
  ];
}

/** Text parameters of a query that have no form. */
function toSearchAttacks(tools: AttackTools, operation: Operation): Attack[] {
  const cursors = new Set(tools.builder.placesOf(operation).filter(isCursor).map(nameOf));
  return operation.parameters
    .filter(({ in: at, name, schema }) => at === "query" && !cursors.has(name) && isFreeText(schema))
    .map(({ name }) => searchAttack(tools, operation, name));
}

function toIdAttacks(tools: AttackTools, operation: Operation): Attack[] {
  const { world } = tools;
  const places = tools.builder.placesOf(operation);
  const inPath = places.filter((place) => place.in === "path");
  return places.flatMap((place): Attack[] => {
    if (isCursor(place)) return [cursorAttack(tools, operation, place)];
    if (place.in !== "path" && world.knownOf(operation, place) === undefined) {
      const options = { place, scope: "one", isGuess: true } as const;
      return world
        .guessIds(operation, place)
        .map((identity) => new IdAttack(tools, operation, { ...options, identity }));
    }
    return world.identitiesOf(operation, place).flatMap((identity): Attack[] => {
      const attack = (scope: "one" | "all", isFirst = false) =>
        new IdAttack(tools, operation, { place, identity, scope, isFirst });
      if (place.in === "path" && inPath.length === 1) return [attack("one")];
      // with several ids in the path, both: the owner's whole path, and one id of the owner below the attacker's own
      const isInner = place === inPath.at(-1);
      return [...(isInner ? [attack("all")] : []), attack("one"), ...(place.isList ? [attack("one", true)] : [])];
    });
  });
}

/** All ids of a path are the owner's. */
function toWholeAttacks(tools: AttackTools, operation: Operation, isDeleted: boolean): Attack[] {
  const place = tools.builder.placesOf(operation).findLast((one) => one.in === "path");
  if (place === undefined) return [];
  const all = tools.world.identitiesOf(operation, place);
  return all
    .filter(({ kind }) => !isDeleted || tools.setup.deleters.has(kind))
    .map((identity) => new IdAttack(tools, operation, { place, identity, scope: "all", isDeleted }));
}

function toLiveAttacks(tools: AttackTools, operation: Operation): Attack[] {
  const places = tools.builder.placesOf(operation).filter((place) => place.in !== "body" && !isCursor(place));
  const all = places.length === 0 ? [undefined] : places;
  return all.map((place) => new LiveAttack(tools, operation, place));
}
