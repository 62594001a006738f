import type { Problem } from "../errors.ts";
import { comparePatterns, isExact, overlaps, shapeOf } from "../pattern.ts";
import { Router } from "../router.ts";
import type { FlatRoute } from "./flatten.ts";

type Declared = Pick<FlatRoute, "method" | "path" | "pattern" | "owner">;

/** Two routes of one method and one shape: only one of them could ever match. */
export function findDuplicates(routes: readonly Declared[]): Problem[] {
  const problems: Problem[] = [];
  const seen = new Map<string, Declared>();
  for (const route of routes) {
    const key = `${route.method ?? ""} ${shapeOf(route.pattern)}`;
    const other = seen.get(key);
    if (other === undefined) {
      seen.set(key, route);
      continue;
    }
    const as = other.path === route.path ? "" : ` as ${describe(other)}`;
    const message = `${describe(route)} of ${route.owner} is already declared by ${other.owner}${as}. Remove one of them or change its path.`;
    problems.push({ code: "DUPLICATE_ROUTE", message });
  }
  return problems;
}

/** Warnings for each route without middlewares that takes paths from a guarded route. */
export function findShadows(routes: readonly FlatRoute[]): string[] {
  const served = routes.filter((route) => route.method !== undefined);
  const guarded = served.filter((route) => route.middlewares.length > 0 && !isExact(route.pattern));
  if (guarded.length === 0) return [];
  const open = served.filter((route) => route.middlewares.length === 0);
  const patterns = new Router(served.filter((route) => !isExact(route.pattern)));
  const byFirstSegment = Map.groupBy(guarded, (route) => route.pattern.segments[0]);
  return open.flatMap((route) => {
    const [first] = route.pattern.segments;
    const candidates = isExact(route.pattern)
      ? exactCandidates(patterns, route)
      : first === undefined
        ? guarded
        : [...(byFirstSegment.get(first) ?? []), ...(byFirstSegment.get(undefined) ?? [])];
    const shadowed = candidates.filter(
      (other) =>
        other.method === route.method &&
        other.middlewares.length > 0 &&
        comparePatterns(route.pattern, other.pattern) < 0 &&
        overlaps(route.pattern, other.pattern),
    );
    return shadowed.map((other) => {
      const guards = other.middlewareNames.join(", ");
      return `${describe(route)} of ${route.owner} has no middlewares and matches before ${describe(other)} of ${other.owner}, which is guarded by ${guards}. Guard it too if that is not meant.`;
    });
  });
}

function exactCandidates(patterns: Router<FlatRoute>, route: FlatRoute): FlatRoute[] {
  const segments = route.pattern.segments as readonly string[]; // no parameters, or it would not be exact
  // encoded, because a pattern is written decoded and a request path is not
  const path = `/${segments.map(encodeURIComponent).join("/")}`;
  const match = patterns.resolve(route.method as string, path); // commands were left out
  return match === undefined ? [] : [match.route];
}

export function describe(route: Pick<FlatRoute, "method" | "path">): string {
  return route.method === undefined ? `command ${route.path}` : `${route.method} ${route.path}`;
}
