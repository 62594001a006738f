import type { Compiled } from "../request/compose.ts";
import {
  type Body,
  type Contract,
  type MiddlewareContract,
  type ReturnsByStatus,
  returnsByStatus,
  toBody,
  toOperationId,
} from "../request/contract.ts";
import { findContractFaults } from "../request/contract-faults.ts";
import { contractOf, sourceOf } from "../request/endpoint.ts";
import { type Handler, type Method, type MiddlewareLike, methods } from "../request/handler.ts";
import { describeValue, type Problem } from "../support/errors.ts";
import { explainUnknownNames, namesOf } from "../support/options.ts";
import { joinPaths, type Pattern, PatternError, parsePattern } from "../support/pattern.ts";
import type { Route, Routes } from "./route.ts";

/** A route with its full path, its handler bound and its middlewares collected outside-in. */
export interface FlatRoute {
  /** Undefined for commands. */
  readonly method: Method | undefined;
  readonly path: string;
  readonly pattern: Pattern;
  readonly handler: Handler;
  /** The function that the application has written. */
  readonly source: object;
  readonly handlerName: string;
  /** The middlewares of the groups and of the route; those of the application run before them. */
  readonly middlewares: readonly Compiled[];
  readonly middlewareNames: readonly string[];
  /** What declares it, for people: `PostsController (module "posts")`. */
  readonly owner: string;
  readonly controller: string;
  /** Undefined for routes of the platform and for those that are added at run time. */
  readonly module: string | undefined;
  /** What `endpoint()` declares; undefined for a plain handler. */
  readonly contract: Contract | undefined;
  /** The name of its contract in documents and clients: `posts.show`. */
  readonly operationId: string | undefined;
  /** How its contract declares the body of a request. */
  readonly body: Body | undefined;
  /** What its contract returns, by status. */
  readonly returns: ReturnsByStatus;
  /** What its middlewares add to it. */
  readonly guards: readonly MiddlewareContract[];
  /** Whether a guard declares a security scheme for it, and does not let requests without it pass. */
  readonly secured: boolean;
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
  const tree = new RouteTree(owner, problems);
  tree.walk(routes, { path: "", middlewares: [], groups: [] });
  return tree.flat;
}

/** Where in the tree a route is. */
interface Place {
  readonly path: string;
  readonly middlewares: readonly Compiled[];
  /** From the outermost on. */
  readonly groups: Routes;
}

class RouteTree {
  readonly flat: FlatRoute[] = [];
  readonly #owner: Owner;
  readonly #problems: Problem[];

  constructor(owner: Owner, problems: Problem[]) {
    this.#owner = owner;
    this.#problems = problems;
  }

  walk(list: Routes, { path: group, middlewares: outer, groups }: Place): void {
    for (const [index, route] of list.entries()) {
      if (typeof route !== "object" || route === null || typeof route.path !== "string") {
        const place = `Route ${index + 1}${group === "" ? "" : ` in group ${group}`} of ${this.#owner.name}`;
        const what = route === undefined ? "undefined, which a misspelt field is, too" : "not a route record";
        this.#refuse(`${place} is ${what}. Write { method, path, handler }.`);
        continue;
      }
      const path = joinPaths(group, route.path);
      const label = `${route.method ?? "Route"} ${path} of ${this.#owner.name}`;
      if (groups.includes(route)) {
        this.#refuse(`${label} contains itself. Remove it from the children inside it.`);
        continue;
      }
      if (groups.length > deepest) {
        this.#refuse(`${label} is inside more than ${deepest} groups. Write fewer, with longer paths.`);
        continue;
      }
      const unknown = explainUnknownNames(route, recordNames);
      if (unknown !== undefined) this.#refuse(`${label} has an unknown key: ${unknown}`);
      const own = this.#listOf(route.middlewares, "middlewares", label).map((item) => this.#owner.compile(item, label));
      const middlewares = [...outer, ...own.filter((middleware) => middleware !== undefined)];
      // the field that a misspelt key leaves missing is not reported as well
      const parsed = unknown === undefined ? this.#toFlatRoute(route, label, { path, middlewares, groups }) : undefined;
      if (parsed !== undefined) this.flat.push(parsed);
      const children = this.#listOf(route.children, "children", label);
      if (children.length > 0) this.walk(children, { path, middlewares, groups: [...groups, route] });
    }
  }

  #refuse(message: string, code: Problem["code"] = "BAD_ROUTE"): undefined {
    this.#problems.push({ code, message });
  }

  #listOf<T>(list: readonly T[] | undefined, name: string, label: string): readonly T[] {
    if (list === undefined || Array.isArray(list)) return list ?? [];
    this.#refuse(`The ${name} of ${label} are ${describeValue(list)}. Write a list: [ … ].`);
    return [];
  }

  #toFlatRoute(route: Route, label: string, { path, middlewares, groups }: Place): FlatRoute | undefined {
    const { method } = route;
    const handler = this.#handlerOf(route, label);
    if (handler === undefined) return undefined;
    const parts = [...groups.map((group) => group.path), route.path];
    const pattern = this.#toPattern(path, parts, method, label);
    if (pattern === undefined) return undefined;
    const { name, self, controller, module, guards: outer = [] } = this.#owner;
    const contract = this.#checkedContract(handler, pattern, method, label);
    const handlerName = nameOf(route, handler, self);
    const guards = [...outer, ...toGuards(middlewares)].filter((guard) => isConcerned(method, guard));
    return {
      method,
      path: pattern.path,
      pattern,
      handler: handler.bind(self),
      source: sourceOf(handler),
      handlerName,
      middlewares,
      middlewareNames: middlewares.map((middleware) => middleware.name),
      owner: name,
      controller,
      module,
      contract,
      operationId: toOperationId({ controller, handler: handlerName, contract }),
      body: toBody(contract?.body),
      returns: returnsByStatus(contract?.returns),
      guards,
      secured: guards.some(({ security = {}, optional }) => Object.keys(security).length > 0 && optional !== true),
    };
  }

  /** Undefined for a group, and for a record that is refused. */
  #handlerOf({ method, handler, children }: Route, label: string): Handler | undefined {
    if (handler === undefined && method === undefined) {
      return children === undefined
        ? this.#refuse(`${label} has neither a handler nor children. Add one of them.`)
        : undefined;
    }
    if (typeof handler !== "function") {
      const value: unknown = handler;
      if (value instanceof Promise) value.catch(() => {}); // an unhandled rejection would crash the process first
      const fault = `The handler of ${label} is ${describeValue(value)}, not a function. Name the method and do not call it: handler: this.index.`;
      const missing = `${label} has no handler. Name one, for example handler: this.index, and check the method's spelling.`;
      return this.#refuse(handler === undefined ? missing : fault, "BAD_HANDLER");
    }
    if (method !== undefined && !methods.includes(method)) {
      return this.#refuse(`${label}: "${method}" is not a method. Use one of ${methods.join(", ")}.`);
    }
    if (method === undefined && children !== undefined) {
      const fault = `${label} has children and a handler but no method: a group has no handler.`;
      return this.#refuse(`${fault} Give the handler a child route of its own.`);
    }
    return handler;
  }

  #checkedContract(
    handler: Handler,
    pattern: Pattern,
    method: Method | undefined,
    label: string,
  ): Contract | undefined {
    const contract = contractOf(handler);
    if (contract === undefined) return undefined;
    for (const fault of findContractFaults(contract, { method, params: pattern.params.map(({ name }) => name) })) {
      this.#refuse(`The contract of ${label} ${fault}`, "BAD_CONTRACT");
    }
    return contract;
  }

  /** `parts` are the paths of the groups and of the route, as they were written. */
  #toPattern(path: string, parts: readonly string[], method: Method | undefined, label: string): Pattern | undefined {
    // in a group too, where "/api" and "v1" could mean "/apiv1"; "" is the path of the group itself
    const bare = path === "" ? path : parts.find((part) => part !== "" && !part.startsWith("/"));
    if (method !== undefined && bare !== undefined) {
      return this.#refuse(`${label}: the path must start with "/": write "/${bare}".`);
    }
    if (method === undefined && path.includes(" ")) {
      const words = path.replaceAll(/[ /]+/g, "/");
      return this.#refuse(`${label}: "/" separates the words of a command: write "${words}".`);
    }
    try {
      return parsePattern(method === undefined && path.startsWith("/") ? path.slice(1) : path);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      return this.#refuse(`${label} is malformed: ${error.message}.`);
    }
  }
}

export function toGuards(middlewares: readonly Compiled[]): MiddlewareContract[] {
  return middlewares.flatMap(({ contract }) => contract ?? []);
}

function isConcerned(method: Method | undefined, { methods: concerned }: MiddlewareContract): boolean {
  return concerned === undefined || (method !== undefined && concerned.includes(method));
}

/** A route or an endpoint has the name of the property that holds it. */
function nameOf(route: Route, handler: Handler, self: unknown): string {
  const properties = typeof self === "object" && self !== null ? Object.entries(self) : [];
  const holder = properties.find(([, value]) => value === route || value === handler);
  return holder?.[0] ?? (handler.name || "(anonymous)");
}
