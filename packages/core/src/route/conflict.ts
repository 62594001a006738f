import type { Problem } from "../support/errors.ts";
import { comparePatterns, isExact, overlaps, shapeOf } from "../support/pattern.ts";
import type { FlatRoute } from "./flatten.ts";
import { Router } from "./router.ts";

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

/** A route that takes paths from one whose guards it does not have. */
export interface Shadow {
  readonly open: FlatRoute;
  readonly guarded: FlatRoute;
}

export function findShadows(routes: readonly FlatRoute[]): Shadow[] {
  const served = routes.filter((route) => route.method !== undefined);
  const guarded = served.filter((route) => route.middlewares.length > 0 && !isExact(route.pattern));
  if (guarded.length === 0) return [];
  const patterns = new Router(served.filter((route) => !isExact(route.pattern)));
  const byFirstSegment = Map.groupBy(guarded, (route) => route.pattern.segments[0]);
  return served.flatMap((open) => {
    const [first] = open.pattern.segments;
    const candidates = isExact(open.pattern)
      ? exactCandidates(patterns, open)
      : first === undefined
        ? guarded
        : [...(byFirstSegment.get(first) ?? []), ...(byFirstSegment.get(undefined) ?? [])];
    return candidates
      .filter(
        (other) =>
          other.method === open.method &&
          lacksGuard(open, other) &&
          comparePatterns(open.pattern, other.pattern) < 0 &&
          overlaps(open.pattern, other.pattern),
      )
      .map((other) => ({ open, guarded: other }));
  });
}

export function describeShadow({ open, guarded }: Shadow): string {
  const lack = open.middlewares.length === 0 ? "has no middlewares" : "has no guard with a security scheme";
  const guards = guarded.middlewareNames.join(", ");
  return `${describe(open)} of ${open.owner} ${lack} and matches before ${describe(guarded)} of ${guarded.owner}, which is guarded by ${guards}. Guard it too if that is not meant.`;
}

function lacksGuard(open: FlatRoute, guarded: FlatRoute): boolean {
  if (open.middlewares.length === 0) return guarded.middlewares.length > 0;
  return guarded.secured && !open.secured;
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
