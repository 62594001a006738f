import type { Context } from "./context.ts";
import type { MiddlewareContract } from "./contract.ts";
import { joinPaths } from "./pattern.ts";

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"] as const;
export type Method = (typeof methods)[number];

/** Takes the request context and returns any value; the platform serializes it. */
export type Handler<Path extends string = string> = (ctx: Context<Path>) => unknown;

/** Continues the chain. Returns the value of what follows, or a promise of it: `await` it to look at it. */
export type Next = () => unknown;

/** Either returns a value itself, which ends the chain, or returns what `next()` gives. */
export interface Middleware {
  /** What it adds to the contract of every route that it guards. */
  readonly contract?: MiddlewareContract;
  handle(ctx: Context, next: Next): unknown;
}

export interface MiddlewareFunction {
  (ctx: Context, next: Next): unknown;
  /** What it adds to the contract of every route that it guards. */
  readonly contract?: MiddlewareContract;
}

/** A class (constructed by the container, with injection), an instance, or a function. */
export type MiddlewareLike = (new () => Middleware) | Middleware | MiddlewareFunction;

/** A route as an application writes it: five fields, all of them plain data. `Prefix` is the path of its group. */
export interface Route<Path extends string = string, Prefix extends string = ""> {
  /** Left out for groups and for commands. */
  readonly method?: Method;
  readonly path: Path;
  readonly handler?: (ctx: Context<FullPath<Prefix, Path>>) => unknown;
  readonly middlewares?: readonly MiddlewareLike[];
  readonly children?: readonly Route[];
}

export type Routes = readonly Route[];

type FullPath<Prefix extends string, Path extends string> = string extends Path
  ? string
  : string extends Prefix
    ? string
    : `${Prefix}/${Path}`;
type RouteList<Paths extends readonly string[], Prefix extends string = ""> = readonly [
  ...{ [K in keyof Paths]: Route<Paths[K], Prefix> },
];

export interface Controller {
  routes(): Routes;
}

/** Types the handlers by their paths: `ctx.param()` takes the names in the path and no other. Returns the list itself. */
export function routes<const Paths extends readonly string[]>(list: RouteList<Paths>): Routes {
  return list;
}

/** A group as a record: a route without method and handler. */
export interface Group<Prefix extends string = string> extends Pick<Route, "middlewares"> {
  readonly path: Prefix;
  readonly children: Routes;
}

/**
 * Routes below one path. Their handlers know the parameters of the prefix too. In a group inside a group they know
 * those of the inner prefix only, because TypeScript checks it first: write the whole prefix in one group.
 */
export function group<const Prefix extends string, const Paths extends readonly string[]>(
  prefix: Prefix,
  list: RouteList<Paths, Prefix>,
  options: Pick<Route, "middlewares"> = {},
): Group<Prefix> {
  return { path: prefix, ...options, children: list as unknown as Routes }; // each is a route, whatever its path
}

export interface ResourceHandlers<Path extends string = string> {
  readonly index?: (ctx: Context<Path>) => unknown;
  readonly show?: (ctx: Context<FullPath<Path, ":id">>) => unknown;
  readonly create?: (ctx: Context<Path>) => unknown;
  readonly update?: (ctx: Context<FullPath<Path, ":id">>) => unknown;
  readonly delete?: (ctx: Context<FullPath<Path, ":id">>) => unknown;
}

const conventions = [
  { name: "index", method: "GET", suffix: "" },
  { name: "show", method: "GET", suffix: "/:id" },
  { name: "create", method: "POST", suffix: "" },
  { name: "update", method: "PUT", suffix: "/:id" },
  { name: "delete", method: "DELETE", suffix: "/:id" },
] as const satisfies readonly { name: keyof ResourceHandlers; method: Method; suffix: string }[];

/** The conventional routes of a collection, for those of the five handlers that exist. */
export function resource<const Path extends string>(
  path: Path,
  handlers: ResourceHandlers<Path>,
  options: Pick<Route, "middlewares"> = {},
): Routes {
  return conventions.flatMap(({ name, method, suffix }): Routes => {
    const handler: Handler | undefined = handlers[name];
    return handler === undefined ? [] : [{ method, path: joinPaths(path, suffix), handler, ...options }];
  });
}
