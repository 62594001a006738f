import type { MatchedRoute } from "../context/context.ts";
import { comparePatterns, isExact, type Pattern } from "./pattern.ts";
import { splitPath } from "./target.ts";

/** What a router holds: anything that has a method and a pattern. */
export interface Routable {
  readonly method: string | undefined;
  readonly pattern: Pattern;
  /** What `ctx.route` tells. */
  readonly matched?: MatchedRoute;
}

/** Shared between requests by the cache, therefore never changed after it is made. */
export interface Match<R extends Routable> {
  readonly route: R;
  /** One value for each of `route.pattern.params`. */
  readonly values: readonly string[];
  /** What `*` matched, as it was sent: decoded, a long one would take many times its size in the cache. */
  readonly rest: string | undefined;
}

const noValues: readonly string[] = Object.freeze([]);
const maxRetained = 1024;
const maxCached = 10_000;

/** Resolves exact paths first, then patterns, then wildcards. Immutable: a change of routes makes a new router. */
export class Router<R extends Routable> {
  readonly routes: readonly R[];
  readonly #tables = new Map<string, Table<R>>();
  readonly #cache = new ResolutionCache<Match<R>>();

  constructor(routes: readonly R[]) {
    this.routes = routes;
    const byMethod = Map.groupBy(routes, (route) => route.method ?? "");
    for (const [method, group] of byMethod) this.#tables.set(method, new Table(group));
  }

  /**
   * `path` starts with a slash. `retained` is the length of the string that `path` was cut from:
   * a cached path keeps all of it alive. Throws a 400 for a path that cannot be decoded.
   */
  resolve(method: string, path: string, retained: number = path.length): Match<R> | undefined {
    const table = this.#tables.get(method);
    const exact = table?.exact.get(path);
    if (exact !== undefined) return exact;
    const key = method === "GET" ? path : `${method} ${path}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const segments = splitPath(path, method === "");
    const match =
      table?.search(segments, path) ??
      (method === "HEAD" ? this.#tables.get("GET")?.search(segments, path) : undefined);
    if (match !== undefined && (key === path ? retained : retained + key.length) <= maxRetained) {
      this.#cache.set(key, match); // a key that is not the path itself is a second copy of it
    }
    return match;
  }
}

/** The routes of one method. */
class Table<R extends Routable> {
  readonly exact = new Map<string, Match<R>>();
  readonly #patterns: readonly Shelf<R>[];
  readonly #wildcards: readonly Shelf<R>[];

  constructor(routes: readonly R[]) {
    const others: R[] = [];
    for (const route of routes) {
      if (isExact(route.pattern)) {
        this.exact.set(`/${route.pattern.segments.join("/")}`, { route, values: noValues, rest: undefined });
      } else others.push(route);
    }
    const shelves = toShelves(others);
    this.#patterns = shelves.filter((shelf) => !shelf.wildcard);
    this.#wildcards = shelves.filter((shelf) => shelf.wildcard);
  }

  search(segments: readonly string[], path: string): Match<R> | undefined {
    const exact = this.#searchExact(segments);
    if (exact !== undefined) return exact;
    for (const shelf of this.#patterns) {
      if (shelf.length !== segments.length) continue;
      const match = shelf.find(segments, path);
      if (match !== undefined) return match;
    }
    for (const shelf of this.#wildcards) {
      if (shelf.length >= segments.length) continue;
      const match = shelf.find(segments, path);
      if (match !== undefined) return match;
    }
    return undefined;
  }

  #searchExact(segments: readonly string[]): Match<R> | undefined {
    if (segments.some((segment) => segment.includes("/"))) return undefined; // %2F never acts as a separator
    return this.exact.get(`/${segments.join("/")}`);
  }
}

/** All patterns with their static segments at the same places: one look-up decides among them, however many they are. */
class Shelf<R extends Routable> {
  readonly length: number;
  readonly wildcard: boolean;
  readonly #statics: readonly number[];
  readonly #params: readonly number[];
  readonly #routes = new Map<string, R>();

  constructor(example: Pattern) {
    this.length = example.segments.length;
    this.wildcard = example.wildcard;
    this.#params = example.params.map((param) => param.index);
    this.#statics = example.segments.flatMap((segment, index) => (segment === undefined ? [] : [index]));
  }

  add(route: R): void {
    const key = this.#statics.map((index) => route.pattern.segments[index]).join("/");
    this.#routes.set(key, route);
  }

  find(segments: readonly string[], path: string): Match<R> | undefined {
    let key = "";
    for (let position = 0; position < this.#statics.length; position++) {
      // both lengths were compared by the caller; a "/" inside gives a key with more of them than any route's has
      const segment = segments[this.#statics[position] as number] as string;
      key = position === 0 ? segment : `${key}/${segment}`;
    }
    const route = this.#routes.get(key);
    if (route === undefined) return undefined;
    const values: string[] = [];
    for (const index of this.#params) {
      const value = segments[index] as string; // as above
      if (value === "") return undefined;
      values.push(value);
    }
    return { route, values, rest: this.wildcard ? skipSegments(path, this.length) : undefined };
  }
}

function skipSegments(path: string, count: number): string {
  let start = 1;
  for (let skipped = 0; skipped < count; skipped++) start = path.indexOf("/", start) + 1;
  return path.slice(start);
}

function toShelves<R extends Routable>(routes: readonly R[]): Shelf<R>[] {
  const shelves = new Map<string, { example: Pattern; shelf: Shelf<R> }>();
  for (const route of routes) {
    const places = route.pattern.segments.map((segment) => (segment === undefined ? ":" : "=")).join("");
    const key = route.pattern.wildcard ? `${places}*` : places;
    let entry = shelves.get(key);
    if (entry === undefined) {
      entry = { example: route.pattern, shelf: new Shelf<R>(route.pattern) };
      shelves.set(key, entry);
    }
    entry.shelf.add(route);
  }
  return [...shelves.values()].sort((a, b) => comparePatterns(a.example, b.example)).map(({ shelf }) => shelf);
}

/** Two generations: when the young one is full it becomes the old one, and what is still asked for moves back. */
class ResolutionCache<T> {
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  get(path: string): T | undefined {
    const young = this.#young.get(path);
    if (young !== undefined) return young;
    const old = this.#old.get(path);
    if (old !== undefined) this.set(path, old);
    return old;
  }

  set(path: string, value: T): void {
    if (this.#young.size >= maxCached / 2) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(path, value);
  }
}
