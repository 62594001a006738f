/** A route as the model sees it: `["a", ":x", "*"]` is `/a/:x/*`, `[""]` is `/`, `["a", ""]` is `/a/`. */
export interface ModelRoute {
  readonly method: string;
  readonly segments: readonly string[];
}

export type ModelResolution =
  | "malformed"
  | "miss"
  | { readonly route: ModelRoute; readonly params: Record<string, string> };

/** The rules of resolution, literally: every route is compared with the path, and the best match wins. */
export function resolveByRules(routes: readonly ModelRoute[], method: string, path: string): ModelResolution {
  const segments = path.slice(1).split("/").map(decode);
  if (
    segments.some((segment) => segment === undefined || segment.includes("\0") || segment === "." || segment === "..")
  )
    return "malformed";
  const decoded = segments as string[]; // none is undefined, see above
  const matching = routes.filter((route) => route.method === method && matches(route.segments, decoded));
  const [best] = matching.toSorted((a, b) => compare(rank(a), rank(b)) || routes.indexOf(a) - routes.indexOf(b));
  if (best !== undefined) return { route: best, params: paramsOf(best.segments, decoded) };
  return method === "HEAD" ? resolveByRules(routes, "GET", path) : "miss";
}

const isParam = (segment: string) => segment.startsWith(":");
const isStatic = (segment: string) => !isParam(segment) && segment !== "*";

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  const wildcard = pattern.at(-1) === "*";
  const named = wildcard ? pattern.slice(0, -1) : pattern;
  if (wildcard ? path.length <= named.length : path.length !== named.length) return false;
  return named.every((segment, index) => (isParam(segment) ? path[index] !== "" : path[index] === segment));
}

/** Smaller is better, number by number. */
function rank({ segments }: ModelRoute): number[] {
  const statics = segments.filter(isStatic).length;
  const places = segments.map((segment) => (isStatic(segment) ? 0 : 1));
  if (statics === segments.length) return [0];
  if (!segments.includes("*")) return [1, -statics, ...places];
  return [2, -segments.findIndex((segment) => !isStatic(segment)), -statics, -segments.length, ...places];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, position) => value !== b[position]);
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}

function paramsOf(pattern: readonly string[], path: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pattern.flatMap((segment, index): [string, string][] => {
      if (segment === "*") return [["*", path.slice(index).join("/")]];
      return isParam(segment) ? [[segment.slice(1), path[index] ?? ""]] : [];
    }),
  );
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
