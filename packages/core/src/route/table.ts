import { describeRoute, type MatchedRoute } from "../request/contract.ts";
import type { DeclaredFields } from "../request/declared-fields.ts";
import type { Handler, Method } from "../request/handler.ts";
import { type Runnable, toRunnable } from "../request/observed-chain.ts";
import { type Problem, StartError } from "../support/errors.ts";
import { joinPaths, parsePattern, shapeOf } from "../support/pattern.ts";
import { findDuplicateNames, findDuplicateRoutes } from "./duplicates.ts";
import type { FlatRoute } from "./flatten.ts";
import type { Route, Routes } from "./route.ts";
import type { Router } from "./router.ts";

/** A route with its chain composed. */
export interface RunnableRoute extends FlatRoute, Runnable {
  readonly matched: MatchedRoute;
  /** Undefined where it declares no response. */
  readonly declared: DeclaredFields | undefined;
}

export interface RouteInfo
  extends Omit<FlatRoute, "pattern" | "handler" | "source" | "handlerName" | "middlewares" | "middlewareNames"> {
  readonly handler: string;
  /** The middlewares of its groups and its own, in the order in which they run. */
  readonly middlewares: readonly string[];
}

export interface RouteTableTools {
  /** Flattens routes that are added at run time. */
  readonly flatten: (routes: Routes, owner: string, problems: Problem[]) => FlatRoute[];
  readonly serves: (route: FlatRoute) => boolean;
  /** Traced when `isObserved`. */
  readonly compose: (route: FlatRoute, isObserved: boolean) => Handler;
  readonly select: (route: FlatRoute) => DeclaredFields | undefined;
}

/** The routes in force. A change takes effect at once and as a whole, or throws and changes nothing. */
export class RouteTable {
  readonly #tools: RouteTableTools;
  readonly #router: Router<RunnableRoute>;
  #version = 0;

  /** `router` is the one that the kernel asks; it has no routes yet. */
  constructor(router: Router<RunnableRoute>, routes: readonly FlatRoute[], tools: RouteTableTools) {
    this.#router = router;
    this.#tools = tools;
    router.load(routes.filter(tools.serves).map((route) => this.#runnable(route)));
  }

  /** Grows with every change, so that what is made of the routes can be kept until then. */
  get version(): number {
    return this.#version;
  }

  /** Adds one route or several, groups included. In force from the next request. */
  add(routes: Route | Routes, options: { readonly owner?: string } = {}): void {
    this.#install([...this.#router.routes, ...this.#flatten(routes, options.owner)]);
  }

  /** Removes the route of this method and path; the names of its parameters do not matter. */
  remove(method: Method | undefined, path: string): void {
    this.#install(this.#without(method, path));
  }

  /** Replaces a route by others, in one step. */
  replace(
    method: Method | undefined,
    path: string,
    routes: Route | Routes,
    options: { readonly owner?: string } = {},
  ): void {
    this.#install([...this.#without(method, path), ...this.#flatten(routes, options.owner)]);
  }

  list(): RouteInfo[] {
    return this.#router.routes.map((runnable) => {
      const { pattern, source, run, observed, matched, declared, ...route } = runnable;
      const { handlerName: handler, middlewareNames: middlewares, ...info } = route;
      return { ...info, handler, middlewares };
    });
  }

  #flatten(routes: Route | Routes, owner = "app.routes"): RunnableRoute[] {
    const problems: Problem[] = [];
    const list = Array.isArray(routes) ? (routes as Routes) : [routes as Route]; // isArray does not narrow readonly arrays
    const flat = this.#tools.flatten(list, owner, problems);
    if (problems.length > 0) throw new StartError(problems);
    return flat.filter(this.#tools.serves).map((route) => this.#runnable(route));
  }

  #without(method: Method | undefined, path: string): RunnableRoute[] {
    const shape = shapeOf(parsePattern(joinPaths("", path)));
    const rest = this.#router.routes.filter((route) => route.method !== method || shapeOf(route.pattern) !== shape);
    if (rest.length < this.#router.routes.length) return rest;
    const message = `There is no route ${describeRoute({ method, path })}. app.routes.list() shows those in force.`;
    throw new StartError([{ code: "UNKNOWN_ROUTE", message }]);
  }

  #install(routes: readonly RunnableRoute[]): void {
    const problems = [...findDuplicateRoutes(routes), ...findDuplicateNames(routes)];
    if (problems.length > 0) throw new StartError(problems);
    this.#router.load(routes);
    this.#version++;
  }

  #runnable(route: FlatRoute): RunnableRoute {
    const { method, path, controller, handlerName: handler, contract } = route;
    const matched = Object.freeze({ method, path, controller, handler, contract });
    const { compose, select } = this.#tools;
    const runnable = toRunnable((isObserved) => compose(route, isObserved));
    return { ...route, ...runnable, matched, declared: select(route) };
  }
}
