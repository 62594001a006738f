import type { MatchedRoute } from "../context/context.ts";
import { comparePatterns, isExact, type Pattern, staticPrefix } from "./pattern.ts";
import { Target, toExactKey } from "./target.ts";

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
const generation = 5000; // two of them: 10,000 resolutions
const lookUps = 1024; // after so many it is decided whether the cache is worth its time
const fewHits = 256;
const oneOf = 7; // a prime, so that a client that walks a list does not always draw the same ones

/** Resolves exact paths first, then patterns, then wildcards. Immutable: a change of routes makes a new router. */
export class Router<R extends Routable> {
  readonly routes: readonly R[];
  readonly #tables = new Map<string, Table<R>>();
  readonly #cache = new ResolutionCache<Match<R>>();
  readonly #target = new Target();

  constructor(routes: readonly R[]) {
    this.routes = routes;
    const byMethod = Map.groupBy(routes, (route) => route.method ?? "");
    for (const [method, group] of byMethod) this.#tables.set(method, new Table(group));
  }

  /**
   * `path` starts with a slash. `retained` is the length of the string that `path` was cut from:
   * a cached path keeps all of it alive. Throws a MalformedTarget for a path that cannot be decoded.
   */
  resolve(method: string, path: string, retained: number = path.length): Match<R> | undefined {
    const table = this.#tables.get(method);
    const exact = table?.exact.get(path);
    if (exact !== undefined) return exact;
    const key = method === "GET" ? path : `${method} ${path}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const target = this.#target.read(path, method === "");
    const match = table?.search(target) ?? (method === "HEAD" ? this.#tables.get("GET")?.search(target) : undefined);
    if (match !== undefined && (key === path ? retained : retained + key.length) <= maxRetained) {
      this.#cache.set(key, match); // a key that is not the path itself is a second copy of it
    }
    return match;
  }
}

/** The routes of one method. */
class Table<R extends Routable> {
  readonly exact = new Map<string, Match<R>>();
  /** By the number of segments, each list in the order of precedence. */
  readonly #patterns: readonly (readonly Shelf<R>[] | undefined)[];
  readonly #wildcards: readonly Shelf<R>[];

  constructor(routes: readonly R[]) {
    const others: R[] = [];
    for (const route of routes) {
      if (isExact(route.pattern)) {
        const segments = route.pattern.segments as readonly string[]; // no parameters, or it would not be exact
        this.exact.set(toExactKey(segments), { route, values: noValues, rest: undefined });
      } else others.push(route);
    }
    const shelves = toShelves(others);
    const patterns: Shelf<R>[][] = [];
    for (const shelf of shelves) {
      if (shelf.wildcard) continue;
      const same = patterns[shelf.length] ?? [];
      same.push(shelf);
      patterns[shelf.length] = same;
    }
    this.#patterns = patterns;
    this.#wildcards = shelves.filter((shelf) => shelf.wildcard);
  }

  search(target: Target): Match<R> | undefined {
    const exact = this.exact.get(target.whole());
    if (exact !== undefined) return exact;
    for (const shelf of this.#patterns[target.length] ?? noShelves) {
      const match = shelf.find(target);
      if (match !== undefined) return match;
    }
    for (const shelf of this.#wildcards) {
      if (shelf.length >= target.length) continue;
      const match = shelf.find(target);
      if (match !== undefined) return match;
    }
    return undefined;
  }
}

const noShelves: readonly never[] = [];

/** What stands behind a static text: a route, or more branches. */
class Branches<R> {
  /** The only one, as long as it is: compared faster than looked up. */
  #text = "";
  #only: Branches<R> | R | undefined;
  #many: Map<string, Branches<R> | R> | undefined;

  get(text: string): Branches<R> | R | undefined {
    if (this.#many !== undefined) return this.#many.get(text);
    return text === this.#text ? this.#only : undefined;
  }

  set(text: string, value: Branches<R> | R): void {
    if (this.#many !== undefined) this.#many.set(text, value);
    else if (this.#only === undefined || this.#text === text) {
      this.#text = text;
      this.#only = value;
    } else {
      this.#many = new Map([
        [this.#text, this.#only],
        [text, value],
      ]);
    }
  }
}

/** All patterns with their static segments at the same places: a few look-ups decide among them, however many they are. */
class Shelf<R extends Routable> {
  readonly length: number;
  readonly wildcard: boolean;
  /** How many segments there are before the first parameter. */
  readonly #prefix: number;
  /** The places of the static ones behind it. */
  readonly #statics: readonly number[];
  readonly #params: readonly number[];
  readonly #branches = new Branches<R>();

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
    const statics = this.#statics.map((index) => segments[index] as string); // at the places of the example's
    const keys = [segments.slice(0, this.#prefix).join("/"), ...statics];
    const last = keys.pop() as string; // the prefix is always there
    let branch = this.#branches;
    for (const key of keys) {
      const next = (branch.get(key) as Branches<R> | undefined) ?? new Branches<R>(); // routes stand behind the last key only
      branch.set(key, next);
      branch = next;
    }
    branch.set(last, route);
  }

  /** That there are enough segments was checked by the caller. */
  find(target: Target): Match<R> | undefined {
    let found = this.#branches.get(target.prefix(this.#prefix));
    for (const index of this.#statics) {
      if (found === undefined) return undefined;
      found = (found as Branches<R>).get(target.segment(index)); // as in add()
    }
    if (found === undefined) return undefined;
    const values: string[] = [];
    for (const index of this.#params) {
      const value = target.segment(index);
      if (value === "") return undefined;
      values.push(value);
    }
    return { route: found as R, values, rest: this.wildcard ? target.rest(this.length) : undefined }; // as in add()
  }
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

/**
 * Two generations: when the young one is full it becomes the old one, and what is still asked for moves back.
 * Where almost nothing is asked for twice, only a sample is looked up and taken in: each costs more than a search does.
 */
class ResolutionCache<T> {
  #young = new Map<string, T>();
  #old = new Map<string, T>();
  #sampling = false;
  #turn = 0;
  #lookUps = 0;
  #hits = 0;

  get(path: string): T | undefined {
    if (this.#sampling && ++this.#turn % oneOf !== 0) return undefined;
    if (++this.#lookUps === lookUps) {
      this.#sampling = this.#hits < fewHits;
      this.#lookUps = 0;
      this.#hits = 0;
    }
    const young = this.#young.get(path);
    const found = young ?? this.#old.get(path);
    if (found === undefined) return undefined;
    this.#hits++;
    if (young === undefined) this.#keep(path, found);
    return found;
  }

  /** After a `get` that found nothing: that one has drawn the sample. */
  set(path: string, value: T): void {
    if (!this.#sampling || this.#turn % oneOf === 0) this.#keep(path, value);
  }

  #keep(path: string, value: T): void {
    if (this.#young.size >= generation) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(path, value);
  }
}
