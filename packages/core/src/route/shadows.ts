import { describeRoute } from "../request/contract.ts";
import { comparePatterns, isExact, overlaps } from "../support/pattern.ts";
import type { FlatRoute } from "./flatten.ts";
import { Router } from "./router.ts";

/** A route that takes paths from one whose middlewares or security scheme it lacks. */
export interface Shadow {
  readonly unguarded: FlatRoute;
  readonly guarded: FlatRoute;
}

export function findShadows(routes: readonly FlatRoute[]): Shadow[] {
  const served = routes.filter((route) => route.method !== undefined);
  const guarded = served.filter((route) => route.middlewares.length > 0 && !isExact(route.pattern));
  if (guarded.length === 0) return [];
  const patterns = new Router(served.filter((route) => !isExact(route.pattern)));
  return served.flatMap((route) => {
    const candidates = isExact(route.pattern) ? exactCandidates(patterns, route) : guarded;
    return candidates
      .filter(
        (other) =>
          other.method === route.method &&
          lacksGuard(route, other) &&
          comparePatterns(route.pattern, other.pattern) < 0 &&
          overlaps(route.pattern, other.pattern),
      )
      .map((other) => ({ unguarded: route, guarded: other }));
  });
}

export function describeShadow({ unguarded, guarded }: Shadow): string {
  const lack = unguarded.middlewares.length === 0 ? "has no middlewares" : "has no guard with a security scheme";
  const names = guarded.middlewareNames.join(", ");
  return `${describeRoute(unguarded)} of ${unguarded.owner} ${lack} and matches before ${describeRoute(guarded)} of ${guarded.owner}, which has the middlewares ${names}. Add them if that is not meant.`;
}

function lacksGuard(route: FlatRoute, guarded: FlatRoute): boolean {
  if (route.middlewares.length === 0) return guarded.middlewares.length > 0;
  return guarded.secured && !route.secured;
}

function exactCandidates(patterns: Router<FlatRoute>, route: FlatRoute): FlatRoute[] {
  const segments = route.pattern.segments as readonly string[]; // no parameters, or it would not be exact
  // encoded, because a pattern is written decoded and a request path is not
  const path = `/${segments.map(encodeURIComponent).join("/")}`;
  const match = patterns.resolve(route.method as string, path); // commands were left out
  return match === undefined ? [] : [match.route];
}
