import type { Compiled } from "../compose.ts";
import type { Contract, MiddlewareContract } from "../contract.ts";
import { contractOf } from "../endpoint.ts";
import { describeValue, type Problem } from "../errors.ts";
import { explainUnknownNames, namesOf } from "../options.ts";
import { joinPaths, type Pattern, PatternError, parsePattern } from "../pattern.ts";
import type { Handler, Method, MiddlewareLike, Route, Routes } from "../record.ts";
import { methods } from "../record.ts";
import { findContractFaults } from "./contract-faults.ts";

/** A route with its full path, its handler bound and its middlewares collected outside-in. */
export interface FlatRoute {
  /** Undefined for commands. */
  readonly method: Method | undefined;
  readonly path: string;
  readonly pattern: Pattern;
  readonly handler: Handler;
  /** The handler as the record gives it, unbound. */
  readonly source: Handler;
  readonly handlerName: string;
  /** Of the groups and of the route; those of the application come before them. */
  readonly middlewares: readonly Compiled[];
  readonly middlewareNames: readonly string[];
  /** What declares it, for people: `PostsController (module "posts")`. */
  readonly owner: string;
  readonly controller: string;
  /** Undefined for routes of the platform and for those that are added at run time. */
  readonly module: string | undefined;
  /** What `endpoint()` declares; undefined for a plain handler. */
  readonly contract: Contract | undefined;
  /** What its middlewares add to it. */
  readonly guards: readonly MiddlewareContract[];
}

export interface Owner {
  readonly name: string;
  readonly controller: string;
  readonly module?: string;
  /** What the middlewares of the application add to every route. */
  readonly guards?: readonly MiddlewareContract[];
  /** `this` of the handlers. */
  readonly self: unknown;
  /** `place` names the route in a problem. */
  readonly compile: (middleware: MiddlewareLike, place: string) => Compiled | undefined;
}

const deepest = 100; // deeper groups come from a loop, and would exhaust the stack
const recordNames = namesOf<Route>({ method: true, path: true, handler: true, middlewares: true, children: true });

/** Turns the tree that an owner declares into a list. Problems are collected; broken routes are left out. */
export function flattenRoutes(routes: Routes, owner: Owner, problems: Problem[]): FlatRoute[] {
  const flat: FlatRoute[] = [];
  const refuse = (message: string, code: Problem["code"] = "BAD_ROUTE"): undefined => {
    problems.push({ code, message });
  };

  const walk = (list: Routes, group: string, outer: readonly Compiled[], groups: Routes): void => {
    for (const [index, route] of list.entries()) {
      if (typeof route !== "object" || route === null || typeof route.path !== "string") {
        const place = `Route ${index + 1}${group === "" ? "" : ` in group ${group}`} of ${owner.name}`;
        refuse(`${place} is not a route record. Write { method, path, handler }.`);
        continue;
      }
      const path = joinPaths(group, route.path);
      const label = `${route.method ?? "Route"} ${path} of ${owner.name}`;
      if (groups.includes(route)) {
        refuse(`${label} contains itself. Remove it from the children inside it.`);
        continue;
      }
      if (groups.length > deepest) {
        refuse(`${label} is inside more than ${deepest} groups. Write fewer, with longer paths.`);
        continue;
      }
      const unknown = explainUnknownNames(route, recordNames);
      if (unknown !== undefined) refuse(`${label} has an unknown key: ${unknown}`);
      const own = listOf(route.middlewares, "middlewares", label).map((item) => owner.compile(item, label));
      const middlewares = [...outer, ...own.filter((middleware) => middleware !== undefined)];
      // the field that a misspelt key leaves missing is not reported as well
      const parsed = unknown === undefined ? toFlatRoute(route, path, label, middlewares) : undefined;
      if (parsed !== undefined) flat.push(parsed);
      const children = listOf(route.children, "children", label);
      if (children.length > 0) walk(children, path, middlewares, [...groups, route]);
    }
  };

  const listOf = <T>(list: readonly T[] | undefined, name: string, label: string): readonly T[] => {
    if (list === undefined || Array.isArray(list)) return list ?? [];
    refuse(`The ${name} of ${label} are ${describeValue(list)}. Write a list: [ … ].`);
    return [];
  };

  const toFlatRoute = (
    { method, handler, children }: Route,
    path: string,
    label: string,
    middlewares: readonly Compiled[],
  ): FlatRoute | undefined => {
    if (handler === undefined && method === undefined) {
      return children === undefined
        ? refuse(`${label} has neither a handler nor children. Add one of them.`)
        : undefined;
    }
    if (typeof handler !== "function") {
      const fault = `The handler of ${label} is ${typeof handler}, not a function. Pass the method itself, for example handler: this.index.`;
      const missing = `${label} has no handler. Name one, for example handler: this.index, and check the method's spelling.`;
      return refuse(handler === undefined ? missing : fault, "BAD_HANDLER");
    }
    if (method !== undefined && !methods.includes(method)) {
      return refuse(`${label}: "${method}" is not a method. Use one of ${methods.join(", ")}.`);
    }
    if (method === undefined && children !== undefined) {
      const fault = `${label} has children and a handler but no method: a group has no handler.`;
      return refuse(`${fault} Give the handler a child route of its own.`);
    }
    const pattern = toPattern(path, method, label);
    if (pattern === undefined) return undefined;
    return {
      method,
      path: pattern.path,
      pattern,
      handler: handler.bind(owner.self),
      source: handler,
      handlerName: nameOf(handler, owner.self),
      middlewares,
      middlewareNames: middlewares.map((middleware) => middleware.name),
      owner: owner.name,
      controller: owner.controller,
      module: owner.module,
      contract: checkedContract(handler, pattern, method, label),
      guards: [...(owner.guards ?? []), ...toGuards(middlewares)].filter((guard) => isConcerned(method, guard)),
    };
  };

  const checkedContract = (
    handler: Handler,
    pattern: Pattern,
    method: Method | undefined,
    label: string,
  ): Contract | undefined => {
    const contract = contractOf(handler);
    if (contract === undefined) return undefined;
    for (const fault of findContractFaults(contract, { method, params: pattern.params.map(({ name }) => name) })) {
      refuse(`The contract of ${label} ${fault}`, "BAD_CONTRACT");
    }
    return contract;
  };

  const toPattern = (path: string, method: Method | undefined, label: string): Pattern | undefined => {
    if (method !== undefined && !path.startsWith("/")) {
      return refuse(`${label}: the path must start with "/": write "/${path}".`);
    }
    if (method === undefined && path.includes(" ")) {
      const words = path.replaceAll(/[ /]+/g, "/");
      return refuse(`${label}: "/" separates the words of a command: write "${words}".`);
    }
    try {
      return parsePattern(method === undefined && path.startsWith("/") ? path.slice(1) : path);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      return refuse(`${label} is malformed: ${error.message}.`);
    }
  };

  walk(routes, "", [], []);
  return flat;
}

export function toGuards(middlewares: readonly Compiled[]): MiddlewareContract[] {
  return middlewares.map(({ contract }) => contract).filter((contract) => contract !== undefined);
}

function isConcerned(method: Method | undefined, { methods: concerned }: MiddlewareContract): boolean {
  return concerned === undefined || (method !== undefined && concerned.includes(method));
}

/** An endpoint has the name of the property that holds it. */
function nameOf(handler: Handler, self: unknown): string {
  const properties = typeof self === "object" && self !== null ? Object.entries(self) : [];
  return properties.find(([, value]) => value === handler)?.[0] ?? (handler.name || "(anonymous)");
}
