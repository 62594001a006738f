import type { Context } from "../context/context.ts";
import type { MiddlewareLike } from "../pipeline/middleware.ts";
import { joinPaths } from "./pattern.ts";

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"] as const;
export type Method = (typeof methods)[number];

/** Takes the request context and returns any value; the platform serializes it. */
export type Handler = (ctx: Context) => unknown;

/** A route as an application writes it: five fields, all of them plain data. */
export interface Route {
  /** Left out for groups and for commands. */
  readonly method?: Method;
  readonly path: string;
  readonly handler?: Handler;
  readonly middlewares?: readonly MiddlewareLike[];
  readonly children?: readonly Route[];
}

export type Routes = readonly Route[];

export interface Controller {
  routes(): Routes;
}

export interface ResourceHandlers {
  readonly index?: Handler;
  readonly show?: Handler;
  readonly create?: Handler;
  readonly update?: Handler;
  readonly delete?: Handler;
}

const conventions = [
  { name: "index", method: "GET", suffix: "" },
  { name: "show", method: "GET", suffix: "/:id" },
  { name: "create", method: "POST", suffix: "" },
  { name: "update", method: "PUT", suffix: "/:id" },
  { name: "delete", method: "DELETE", suffix: "/:id" },
] as const satisfies readonly { name: keyof ResourceHandlers; method: Method; suffix: string }[];

/** The conventional routes of a collection, for those of the five handlers that exist. */
export function resource(path: string, handlers: ResourceHandlers, options: Pick<Route, "middlewares"> = {}): Routes {
  return conventions.flatMap(({ name, method, suffix }) => {
    const handler = handlers[name];
    return handler === undefined ? [] : [{ method, path: joinPaths(path, suffix), handler, ...options }];
  });
}
