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
import { findContractProblems } from "../request/contract-problems.ts";
import { contractOf, sourceOf } from "../request/endpoint.ts";
import type { Handler, Method, MiddlewareLike } from "../request/handler.ts";
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
  readonly middlewareContracts: readonly MiddlewareContract[];
  /** Whether a guard declares a security scheme for it, and does not let requests without it pass. */
  readonly secured: boolean;
}

export interface Owner {
  readonly name: string;
  readonly controller: string;
  readonly module?: string;
  /** What the middlewares of the application add to every route. */
  readonly middlewareContracts?: readonly MiddlewareContract[];
  /** `this` of the handlers. */
  readonly self: unknown;
  /** `place` names the route in a problem. */
  readonly compile: (middleware: MiddlewareLike, place: string) => Compiled | undefined;
}

const recordNames = namesOf<Route>({ method: true, path: true, handler: true, middlewares: true, children: true });

/** Turns the tree that an owner declares into a list. Problems are collected; broken routes are left out. */
export function flattenRoutes(routes: Routes, owner: Owner, problems: Problem[]): FlatRoute[] {
  const tree = new RouteTree(owner, problems);
  tree.walk(routes, "", []);
  return tree.flat;
}

class RouteTree {
  readonly flat: FlatRoute[] = [];
  readonly #owner: Owner;
  readonly #problems: Problem[];

  constructor(owner: Owner, problems: Problem[]) {
    this.#owner = owner;
    this.#problems = problems;
  }

  /** `group` and `outer` are the path and the middlewares of the groups around the list. */
  walk(list: Routes, group: string, outer: readonly Compiled[]): void {
    for (const route of list) {
      const path = joinPaths(group, route.path);
      const label = `${route.method ?? "Route"} ${path} of ${this.#owner.name}`;
      const unknown = explainUnknownNames(route, recordNames);
      if (unknown !== undefined) this.#refuse(`${label} has an unknown key: ${unknown}`);
      const own = (route.middlewares ?? []).map((item) => this.#owner.compile(item, label));
      const middlewares = [...outer, ...own.filter((middleware) => middleware !== undefined)];
      // the field that a misspelt key leaves missing is not reported as well
      if (unknown === undefined && (route.method ?? route.handler) !== undefined) {
        const flat = this.#toFlatRoute(route, label, path, middlewares);
        if (flat !== undefined) this.flat.push(flat);
      }
      this.walk(route.children ?? [], path, middlewares);
    }
  }

  #refuse(message: string, code: Problem["code"] = "BAD_ROUTE"): undefined {
    this.#problems.push({ code, message });
  }

  #toFlatRoute(route: Route, label: string, path: string, middlewares: readonly Compiled[]): FlatRoute | undefined {
    const { method, handler } = route;
    if (typeof handler !== "function") {
      const what = handler === undefined ? "no handler" : `${describeValue(handler)} as its handler`;
      return this.#refuse(
        `${label} has ${what}. Name one, for example handler: this.index, and check the method's spelling.`,
        "BAD_HANDLER",
      );
    }
    const pattern = this.#toPattern(path, method, label);
    if (pattern === undefined) return undefined;
    const { name, self, controller, module, middlewareContracts: outer = [] } = this.#owner;
    const contract = this.#checkedContract(handler, pattern, method, label);
    const handlerName = nameOf(route, handler, self);
    const middlewareContracts = [...outer, ...contractsOf(middlewares)].filter((added) => isConcerned(method, added));
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
      operationId: contract?.operationId ?? toOperationId(controller, handlerName),
      body: toBody(contract?.body),
      returns: returnsByStatus(contract?.returns),
      middlewareContracts,
      secured: middlewareContracts.some(
        ({ security = {}, optional }) => Object.keys(security).length > 0 && optional !== true,
      ),
    };
  }

  #checkedContract(
    handler: Handler,
    pattern: Pattern,
    method: Method | undefined,
    label: string,
  ): Contract | undefined {
    const contract = contractOf(handler);
    if (contract === undefined) return undefined;
    for (const problem of findContractProblems(contract, { method, params: pattern.params.map(({ name }) => name) })) {
      this.#refuse(`The contract of ${label} ${problem}`, "BAD_CONTRACT");
    }
    return contract;
  }

  /** The path of a route begins with a slash, whether or not it was written; that of a command does not. */
  #toPattern(path: string, method: Method | undefined, label: string): Pattern | undefined {
    if (method === undefined && path.includes(" ")) {
      const words = path.replaceAll(/[ /]+/g, "/");
      return this.#refuse(`${label}: "/" separates the words of a command: write "${words}".`);
    }
    try {
      const bare = path.startsWith("/") ? path.slice(1) : path;
      return parsePattern(method === undefined ? bare : `/${bare}`);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      return this.#refuse(`${label} is malformed: ${error.message}.`);
    }
  }
}

export function contractsOf(middlewares: readonly Compiled[]): MiddlewareContract[] {
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
