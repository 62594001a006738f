import type { MatchedRoute, RouteParams } from "../request/contract.ts";
import { decodePercent, MalformedTarget } from "../support/path.ts";
import { comparePatterns, isExact, type Pattern, staticPrefix } from "../support/pattern.ts";

/** What a router holds: anything that has a method and a pattern. */
export interface Routable {
  readonly method: string | undefined;
  readonly pattern: Pattern;
  /** The value of `ctx.route`. */
  readonly matched?: MatchedRoute;
}

/** A route and the values of its parameters. The cache shares it between requests, so it never changes. */
export class Match<R extends Routable> implements RouteParams {
  readonly route: R;
  /** One value for each of `route.pattern.params`. */
  readonly #values: readonly string[];
  /** What `*` matched, as it was sent: decoded, a long one would take many times its size in the cache. */
  readonly #rest: string | undefined;

  constructor(route: R, values: readonly string[], rest: string | undefined) {
    this.route = route;
    this.#values = values;
    this.#rest = rest;
  }

  get matched(): MatchedRoute | undefined {
    return this.route.matched;
  }

  param(name: string): string | undefined {
    if (name === "*" && this.#rest !== undefined) return this.rest().join("/");
    const { params } = this.route.pattern;
    for (let index = 0; index < params.length; index++) {
      if (params[index]?.name === name) return this.#values[index];
    }
    return undefined;
  }

  toMap(): Record<string, string> {
    const map: Record<string, string> = Object.create(null);
    for (const [index, { name }] of this.route.pattern.params.entries()) {
      map[name] = this.#values[index] as string; // a match has a value for each parameter
    }
    if (this.#rest !== undefined) map["*"] = this.rest().join("/");
    return map;
  }

  rest(): readonly string[] {
    return this.#rest === undefined ? [] : splitPath(`/${this.#rest}`, this.route.method === undefined);
  }
}

const noValues: readonly string[] = Object.freeze([]);
const longestKey = 1024;
const maxCached = 10_000;
/** A full cache adds one in so many new paths: adding all of them costs (b) of the bench 8 %. */
const sample = 8;

/** Resolves exact paths first, then patterns, then wildcards. `load` puts other routes in force at once. */
export class Router<R extends Routable> {
  #routes: readonly R[] = [];
  #methods = new Map<R["method"], MethodRoutes<R>>();
  #cache = new Map<string, Match<R>>();
  #misses = 0;

  constructor(routes: readonly R[]) {
    this.load(routes);
  }

  get routes(): readonly R[] {
    return this.#routes;
  }

  load(routes: readonly R[]): void {
    const byMethod = Map.groupBy(routes, (route) => route.method);
    this.#methods = new Map([...byMethod].map(([method, list]) => [method, new MethodRoutes(list)]));
    this.#cache = new Map();
    this.#routes = routes;
  }

  /** `path` starts with a slash; a command has no method. Throws a MalformedTarget for a path that cannot be decoded. */
  resolve(method: string | undefined, path: string): Match<R> | undefined {
    const routes = this.#methods.get(method);
    const exact = routes?.exact.get(path);
    if (exact !== undefined) return exact;
    const key = method === "GET" ? path : `${method} ${path}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const isSampled = this.#cache.size < maxCached / 2 || ++this.#misses % sample === 0;
    if (!isSampled || key.length > longestKey) return this.#search(routes, method, path);
    // a part of a text keeps the whole text in memory, here the head of the request with all its headers
    const copy = Buffer.from(key).toString();
    const match = this.#search(routes, method, copy.slice(key.length - path.length));
    if (this.#cache.size === maxCached) this.#cache.clear(); // the paths in use are soon back
    if (match !== undefined) this.#cache.set(copy, match);
    return match;
  }

  #search(routes: MethodRoutes<R> | undefined, method: string | undefined, path: string): Match<R> | undefined {
    const segments = splitPath(path, method === undefined);
    return routes?.find(path, segments) ?? (method === "HEAD" ? this.#find("GET", path, segments) : undefined);
  }

  #find(method: string, path: string, segments: readonly string[]): Match<R> | undefined {
    return this.#methods.get(method)?.find(path, segments);
  }
}

/**
 * Decoded but for `%`, so that the raw path `/%2561` never matches the route `/%61`; "" when a segment contains `/`,
 * because `%2F` never acts as a separator.
 */
function toExactKey(segments: readonly string[]): string {
  if (segments.some((segment) => segment.includes("/"))) return "";
  return `/${segments.join("/").replaceAll("%", "%25")}`;
}

class MethodRoutes<R extends Routable> {
  readonly exact = new Map<string, Match<R>>();
  /** By the number of segments, each list in the order of precedence. */
  readonly #patterns: readonly (readonly PatternGroup<R>[] | undefined)[];
  readonly #wildcards: readonly PatternGroup<R>[];

  constructor(routes: readonly R[]) {
    const others: R[] = [];
    for (const route of routes) {
      if (isExact(route.pattern)) {
        const segments = route.pattern.segments as readonly string[]; // no parameters, or it would not be exact
        this.exact.set(toExactKey(segments), new Match(route, noValues, undefined));
      } else others.push(route);
    }
    const groups = toPatternGroups(others);
    const patterns: PatternGroup<R>[][] = [];
    for (const group of groups) {
      if (group.wildcard) continue;
      const same = patterns[group.length] ?? [];
      same.push(group);
      patterns[group.length] = same;
    }
    this.#patterns = patterns;
    this.#wildcards = groups.filter((group) => group.wildcard);
  }

  find(path: string, segments: readonly string[]): Match<R> | undefined {
    const exact = this.exact.get(isPlain(path) ? path : toExactKey(segments));
    if (exact !== undefined) return exact;
    for (const group of this.#patterns[segments.length] ?? noGroups) {
      const match = group.find(path, segments);
      if (match !== undefined) return match;
    }
    for (const group of this.#wildcards) {
      if (group.length >= segments.length) continue;
      const match = group.find(path, segments);
      if (match !== undefined) return match;
    }
    return undefined;
  }
}

const noGroups: readonly never[] = [];

/** By static text: a route, or the branches that follow it. */
type Branches<R> = Map<string, Branches<R> | R>;

/** All patterns with static segments at the same positions: a few look-ups decide among any number of them. */
class PatternGroup<R extends Routable> {
  readonly length: number;
  readonly wildcard: boolean;
  /** How many segments there are before the first parameter. */
  readonly #prefix: number;
  /** The positions of the static segments after it. */
  readonly #statics: readonly number[];
  readonly #params: readonly number[];
  readonly #branches: Branches<R> = new Map();

  constructor(example: Pattern) {
    this.length = example.segments.length;
    this.wildcard = example.wildcard;
    this.#prefix = staticPrefix(example);
    this.#params = example.params.map((param) => param.index);
    this.#statics = example.segments.flatMap((segment, index) =>
      segment === undefined || index < this.#prefix ? [] : [index],
    );
  }

  add(route: R): void {
    const { segments } = route.pattern;
    const statics = this.#statics.map((index) => segments[index] as string); // at the same positions as in the example
    const keys = [segments.slice(0, this.#prefix).join("/"), ...statics];
    const last = keys.pop() as string; // the prefix is always there
    let branch = this.#branches;
    for (const key of keys) {
      const next = (branch.get(key) as Branches<R> | undefined) ?? new Map(); // routes follow the last key only
      branch.set(key, next);
      branch = next;
    }
    branch.set(last, route);
  }

  /** The caller has checked that there are enough segments. */
  find(path: string, segments: readonly string[]): Match<R> | undefined {
    let found = this.#branches.get(prefixOf(path, segments, this.#prefix));
    for (const index of this.#statics) {
      if (found === undefined) return undefined;
      found = (found as Branches<R>).get(segments[index] as string); // as in add()
    }
    if (found === undefined) return undefined;
    const values: string[] = [];
    for (const index of this.#params) {
      const value = segments[index] as string; // there are enough
      if (value === "") return undefined;
      values.push(value);
    }
    return new Match(found as R, values, this.wildcard ? restOf(path, this.length) : undefined); // as in add()
  }
}

/** The first `count` segments, decoded and joined with `/`. Joining them for each group would double the search time. */
function prefixOf(path: string, segments: readonly string[], count: number): string {
  if (!isPlain(path)) return segments.slice(0, count).join("/");
  let end = 0;
  for (let index = 0; index < count; index++) end += (segments[index] as string).length + 1; // there are enough
  return path.slice(1, end);
}

/** What follows the first `count` segments, as it was sent. */
function restOf(path: string, count: number): string {
  let start = 1;
  for (let index = 0; index < count; index++) start = path.indexOf("/", start) + 1;
  return path.slice(start);
}

function toPatternGroups<R extends Routable>(routes: readonly R[]): PatternGroup<R>[] {
  const groups = new Map<string, { example: Pattern; group: PatternGroup<R> }>();
  for (const route of routes) {
    const positions = route.pattern.segments.map((segment) => (segment === undefined ? ":" : "=")).join("");
    const key = route.pattern.wildcard ? `${positions}*` : positions;
    let entry = groups.get(key);
    if (entry === undefined) {
      entry = { example: route.pattern, group: new PatternGroup<R>(route.pattern) };
      groups.set(key, entry);
    }
    entry.group.add(route);
  }
  return [...groups.values()].sort((a, b) => comparePatterns(a.example, b.example)).map(({ group }) => group);
}

/**
 * The path of a request, split on raw `/` and decoded once per segment. `%2F` stays inside its value.
 * The words of a command may be anything: the framework itself has encoded them, and they never name a file.
 */
export function splitPath(path: string, isCommand: boolean): string[] {
  // PostgreSQL fails on U+0000, SQLite stores it, and file names end at it
  if (!isCommand && path.includes("%00")) throw new MalformedTarget();
  const segments = path.slice(1).split("/");
  if (isPlain(path)) return segments;
  return segments.map((segment) => {
    const decoded = decodePercent(segment);
    if (decoded === undefined || (!isCommand && (decoded === "." || decoded === ".."))) throw new MalformedTarget();
    return decoded;
  });
}

/** Whether no segment is encoded or made of dots. */
function isPlain(path: string): boolean {
  return !path.includes("%") && !path.includes("/.");
}
