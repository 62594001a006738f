import type { Problem } from "../errors.ts";
import type { Compiled, MiddlewareLike } from "../pipeline/middleware.ts";
import { joinPaths, type Pattern, PatternError, parsePattern } from "./pattern.ts";
import { type Handler, type Method, methods, type Route, type Routes } from "./record.ts";
import { schemaOf } from "./takes.ts";

/** A route with its full path, its handler bound and its middlewares collected outside-in. */
export interface FlatRoute {
  /** Undefined for commands. */
  readonly method: Method | undefined;
  readonly path: string;
  readonly pattern: Pattern;
  readonly handler: Handler;
  readonly handlerName: string;
  /** Of the groups and of the route; those of the application come before them. */
  readonly middlewares: readonly Compiled[];
  readonly middlewareNames: readonly string[];
  /** Who declared it, for people: `PostsController (module "posts")`. */
  readonly owner: string;
  readonly controller: string;
  /** What `takes()` binds, if the handler stands in one. */
  readonly takes: unknown;
}

export interface Owner {
  readonly name: string;
  readonly controller: string;
  /** What handlers are bound to. */
  readonly self: unknown;
  readonly compile: (middleware: MiddlewareLike) => Compiled | undefined;
}

/** Turns the tree an owner declares into a list. Problems are collected; what is broken is left out. */
export function flattenRoutes(routes: Routes, owner: Owner, problems: Problem[]): FlatRoute[] {
  const flat: FlatRoute[] = [];
  const report = (code: Problem["code"], message: string) => problems.push({ code, message });

  const walk = (list: Routes, group: string, outer: readonly Compiled[]): void => {
    for (const [index, route] of list.entries()) {
      if (typeof route !== "object" || route === null || typeof route.path !== "string") {
        report(
          "BAD_ROUTE",
          `Route ${index + 1}${group === "" ? "" : ` in group ${group}`} of ${owner.name} is not a route record. Write { method, path, handler }.`,
        );
        continue;
      }
      const path = joinPaths(group, route.path);
      const own = (route.middlewares ?? []).map(owner.compile);
      const middlewares = [...outer, ...own.filter((middleware) => middleware !== undefined)];
      const label = `${route.method ?? "Route"} ${path} of ${owner.name}`;
      if (route.children !== undefined) walk(route.children, path, middlewares);
      if (route.handler === undefined) {
        if (route.method !== undefined) {
          report(
            "BAD_HANDLER",
            `${label} has no handler. Name one, for example handler: this.index, and check the method's spelling.`,
          );
        } else if (route.children === undefined) {
          report("BAD_ROUTE", `${label} has neither a handler nor children. Add one of them.`);
        }
        continue;
      }
      if (typeof route.handler !== "function") {
        report(
          "BAD_HANDLER",
          `The handler of ${label} is ${typeof route.handler}, not a function. Pass the method itself, for example handler: this.index.`,
        );
        continue;
      }
      if (route.method !== undefined && !methods.includes(route.method)) {
        report("BAD_ROUTE", `${label}: "${route.method}" is not a method. Use one of ${methods.join(", ")}.`);
        continue;
      }
      if (route.method === undefined && route.children !== undefined) {
        report(
          "BAD_ROUTE",
          `${label} has children and a handler but no method: a group has no handler. Give the handler a child route of its own.`,
        );
        continue;
      }
      const pattern = parse(path, route, label);
      if (pattern === undefined) continue;
      flat.push({
        method: route.method,
        path: pattern.path,
        pattern,
        handler: route.handler.bind(owner.self),
        handlerName: route.handler.name || "(anonymous)",
        middlewares,
        middlewareNames: middlewares.map((middleware) => middleware.name),
        owner: owner.name,
        controller: owner.controller,
        takes: schemaOf(route.handler),
      });
    }
  };

  const parse = (path: string, route: Route, label: string): Pattern | undefined => {
    if (route.method !== undefined && !path.startsWith("/")) {
      report("BAD_ROUTE", `${label}: the path must start with "/": write "/${path}".`);
      return undefined;
    }
    try {
      return parsePattern(route.method === undefined && path.startsWith("/") ? path.slice(1) : path);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      report("BAD_ROUTE", `${label} is malformed: ${error.message}.`);
      return undefined;
    }
  };

  walk(routes, "", []);
  return flat;
}
