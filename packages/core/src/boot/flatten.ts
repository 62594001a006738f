import type { Compiled } from "../compose.ts";
import type { Schema } from "../dto/standard-schema.ts";
import { describeValue, type Problem } from "../errors.ts";
import { explainUnknownNames, namesOf } from "../options.ts";
import { joinPaths, type Pattern, PatternError, parsePattern } from "../pattern.ts";
import type { MiddlewareLike } from "../record.ts";
import { type Handler, type Method, methods, type Route, type Routes, schemaOf } from "../record.ts";

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
  readonly takes: Schema | undefined;
}

export interface Owner {
  readonly name: string;
  readonly controller: string;
  /** What handlers are bound to. */
  readonly self: unknown;
  /** `place` names the route in a problem. */
  readonly compile: (middleware: MiddlewareLike, place: string) => Compiled | undefined;
}

const deepest = 100; // deeper ones are made by a loop, and would exhaust the stack
const recordNames = namesOf<Route>({ method: true, path: true, handler: true, middlewares: true, children: true });

/** Turns the tree an owner declares into a list. Problems are collected; what is broken is left out. */
export function flattenRoutes(routes: Routes, owner: Owner, problems: Problem[]): FlatRoute[] {
  const flat: FlatRoute[] = [];
  const report = (code: Problem["code"], message: string) => problems.push({ code, message });

  const walk = (list: Routes, group: string, outer: readonly Compiled[], groups: Routes): void => {
    let index = -1;
    for (const route of list) {
      index++;
      if (typeof route !== "object" || route === null || typeof route.path !== "string") {
        report(
          "BAD_ROUTE",
          `Route ${index + 1}${group === "" ? "" : ` in group ${group}`} of ${owner.name} is not a route record. Write { method, path, handler }.`,
        );
        continue;
      }
      const path = joinPaths(group, route.path);
      const label = `${route.method ?? "Route"} ${path} of ${owner.name}`;
      if (groups.includes(route)) {
        report("BAD_ROUTE", `${label} contains itself. Remove it from the children inside it.`);
        continue;
      }
      if (groups.length > deepest) {
        report("BAD_ROUTE", `${label} stands inside more than ${deepest} groups. Write fewer, with longer paths.`);
        continue;
      }
      const unknown = explainUnknownNames(route, recordNames);
      if (unknown !== undefined) report("BAD_ROUTE", `${label} has an unknown key: ${unknown}`);
      const own = listOf(route.middlewares, "middlewares", label).map((item) => owner.compile(item, label));
      const middlewares = [...outer, ...own.filter((middleware) => middleware !== undefined)];
      // what a misspelt key leaves missing is not told as a second mistake
      const parsed = unknown === undefined ? toFlatRoute(route, path, label, middlewares) : undefined;
      if (parsed !== undefined) flat.push(parsed);
      const children = listOf(route.children, "children", label);
      if (children.length > 0) walk(children, path, middlewares, [...groups, route]);
    }
  };

  const listOf = <T>(list: readonly T[] | undefined, name: string, label: string): readonly T[] => {
    if (list === undefined || Array.isArray(list)) return list ?? [];
    report("BAD_ROUTE", `The ${name} of ${label} are ${describeValue(list)}. Write a list: [ … ].`);
    return [];
  };

  const toFlatRoute = (
    route: Route,
    path: string,
    label: string,
    middlewares: readonly Compiled[],
  ): FlatRoute | undefined => {
    const { method, handler, children } = route;
    if (handler === undefined) {
      if (method !== undefined) {
        report(
          "BAD_HANDLER",
          `${label} has no handler. Name one, for example handler: this.index, and check the method's spelling.`,
        );
      } else if (children === undefined) {
        report("BAD_ROUTE", `${label} has neither a handler nor children. Add one of them.`);
      }
      return undefined;
    }
    if (typeof handler !== "function") {
      report(
        "BAD_HANDLER",
        `The handler of ${label} is ${typeof handler}, not a function. Pass the method itself, for example handler: this.index.`,
      );
      return undefined;
    }
    if (method !== undefined && !methods.includes(method)) {
      report("BAD_ROUTE", `${label}: "${method}" is not a method. Use one of ${methods.join(", ")}.`);
      return undefined;
    }
    if (method === undefined && children !== undefined) {
      report(
        "BAD_ROUTE",
        `${label} has children and a handler but no method: a group has no handler. Give the handler a child route of its own.`,
      );
      return undefined;
    }
    const pattern = toPattern(path, method, label);
    if (pattern === undefined) return undefined;
    return {
      method,
      path: pattern.path,
      pattern,
      handler: handler.bind(owner.self),
      handlerName: handler.name || "(anonymous)",
      middlewares,
      middlewareNames: middlewares.map((middleware) => middleware.name),
      owner: owner.name,
      controller: owner.controller,
      takes: schemaOf(handler),
    };
  };

  const toPattern = (path: string, method: Method | undefined, label: string): Pattern | undefined => {
    if (method !== undefined && !path.startsWith("/")) {
      report("BAD_ROUTE", `${label}: the path must start with "/": write "/${path}".`);
      return undefined;
    }
    if (method === undefined && path.includes(" ")) {
      report("BAD_ROUTE", `${label}: "/" separates the words of a command: write "${path.replaceAll(/[ /]+/g, "/")}".`);
      return undefined;
    }
    try {
      return parsePattern(method === undefined && path.startsWith("/") ? path.slice(1) : path);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      report("BAD_ROUTE", `${label} is malformed: ${error.message}.`);
      return undefined;
    }
  };

  walk(routes, "", [], []);
  return flat;
}
