import type { Container } from "../inject/container.ts";
import { type Graph, labelOf, type ModuleNode } from "../inject/module-graph.ts";
import type { Log } from "../log/log.ts";
import { toSafeName } from "../log/safe-urls.ts";
import { type Compiled, type ComposeOptions, compose } from "../request/compose.ts";
import type { Context } from "../request/context.ts";
import type { MiddlewareContract } from "../request/contract.ts";
import { ContractCheck, type UndeclaredResponse } from "../request/contract-check.ts";
import { DeclaredFields } from "../request/declared-fields.ts";
import type { Handler, MiddlewareLike } from "../request/handler.ts";
import { Kernel } from "../request/kernel.ts";
import { observeHandler, observeMiddleware, toRunnable } from "../request/observed-chain.ts";
import { readMiddleware } from "../request/read-middleware.ts";
import { findControllers } from "../route/controllers.ts";
import { findDuplicateNames, findDuplicateRoutes } from "../route/duplicates.ts";
import { contractsOf, type FlatRoute, flattenRoutes, type Owner } from "../route/flatten.ts";
import type { Routes } from "../route/route.ts";
import { Router } from "../route/router.ts";
import { describeShadow, findShadows } from "../route/shadows.ts";
import { RouteTable, type RunnableRoute } from "../route/table.ts";
import { type Problem, StartError } from "../support/errors.ts";
import { refuseMalformed, respondToMiss } from "./not-found.ts";
import type { BackgroundPlatform, NamedPlatform } from "./platform.ts";

/** What the routes need from the wired modules. */
export interface RoutingParts {
  readonly log: Log;
  readonly problems: Problem[];
  readonly graph: Graph;
  readonly container: Container;
  readonly production: boolean;
  /** See `AppOptions.checkContracts`. */
  readonly checkContracts: boolean | ((response: UndeclaredResponse) => void);
}

/** The routes of all modules, and the kernels that run them: one for the platform, more for background work. */
export class ApplicationRoutes {
  readonly #parts: RoutingParts;
  readonly #errors: NamedPlatform["errors"];
  readonly #routes: readonly FlatRoute[];
  /** What the middlewares of the application add to every route. */
  readonly #middlewareContracts: readonly MiddlewareContract[];
  readonly #appLevel: readonly Compiled[];

  /** Throws for every problem of the modules and their routes. The platform is undefined after a problem of its own. */
  constructor(parts: RoutingParts, platform: NamedPlatform | undefined) {
    this.#parts = parts;
    this.#errors = platform?.errors;
    const { container, graph, problems, log } = parts;
    const name = `${platform?.name}()`;
    this.#appLevel = this.#compileAll(platform?.middlewares ?? [], name);
    this.#middlewareContracts = contractsOf(this.#appLevel);
    const controllers = findControllers(container.constructed, problems);
    const ofControllers = controllers.flatMap((found) => {
      const { controller, node, routes } = found;
      const owner = { name: labelOf(found.name, node), controller: found.name, module: node.name, self: controller };
      return this.#flatten(routes, owner, node, found.name, problems);
    });
    const own = { name, controller: platform?.name ?? "", self: undefined };
    const ofPlatform = this.#flatten(platform?.routes ?? [], own, graph.root, name, problems);
    this.#routes = [...ofControllers, ...ofPlatform];
    const served = this.#routes.filter((route) => platform?.serves(route));
    problems.push(...findDuplicateRoutes(this.#routes), ...findDuplicateNames(served));
    if (problems.length > 0) throw new StartError(problems);
    for (const shadow of findShadows(served)) log.warn(describeShadow(shadow));
  }

  /** The routes that a platform serves, after its middlewares. Those of the own platform are compiled already. */
  composeFor(target: NamedPlatform | BackgroundPlatform, isOwn: boolean) {
    const { problems, production, log } = this.#parts;
    const appLevel = isOwn ? this.#appLevel : this.#compileAll(target.middlewares, target.name);
    if (problems.length > 0) throw new StartError(problems.splice(0));
    const lost = toLostOptions(log, production);
    const chain = (middlewares: readonly Compiled[], handler: Handler, isObserved: boolean) => {
      const all = [...appLevel, ...middlewares];
      return compose(isObserved ? all.map(observeMiddleware) : all, handler, lost);
    };
    const router = new Router<RunnableRoute>([]);
    const routes = new RouteTable(router, this.#routes, {
      flatten: (added, owner, found) => this.#flattenAdded(added, owner, found),
      serves: (route) => target.serves(route),
      compose: (route, isObserved) => {
        const name = route.operationId ?? `${route.controller}.${route.handlerName}`;
        const handler = isObserved ? observeHandler(route.handler, name) : route.handler;
        return chain(route.middlewares, handler, isObserved);
      },
      select: (route) => this.#select(route),
    });
    const kernel = new Kernel({
      router,
      platform: target,
      log,
      production,
      onMiss: toRunnable((isObserved) => chain([], (ctx) => respondToMiss(target, ctx), isObserved)),
      onMalformed: toRunnable((isObserved) => chain([], refuseMalformed, isObserved)),
    });
    return { kernel, router, routes };
  }

  #select(route: FlatRoute): DeclaredFields | undefined {
    const { contract } = route;
    if (contract?.returns === undefined && contract?.errors === undefined) return undefined;
    const { checkContracts } = this.#parts;
    if (checkContracts === false) return new DeclaredFields(contract);
    const report = (ctx: Context, response: UndeclaredResponse): void => {
      ctx.log.error(response.message);
      if (typeof checkContracts === "function") checkContracts(response);
    };
    return new DeclaredFields(contract, new ContractCheck(route, contract, report, this.#errors));
  }

  #flattenAdded(added: Routes, owner: string, found: Problem[]): FlatRoute[] {
    const { graph, problems } = this.#parts;
    const flat = this.#flatten(added, { name: owner, controller: owner, self: undefined }, graph.root, owner, found);
    found.push(...problems.splice(0)); // those of the container and the middlewares: ignored, a route would lose its guard
    return flat;
  }

  #flatten(
    routes: Routes,
    owner: Omit<Owner, "middlewareContracts" | "compile">,
    node: ModuleNode,
    user: string,
    problems: Problem[],
  ): FlatRoute[] {
    const compile = (middleware: MiddlewareLike, place: string) => this.#compile(middleware, place, node, user);
    return flattenRoutes(routes, { ...owner, middlewareContracts: this.#middlewareContracts, compile }, problems);
  }

  #compileAll(middlewares: readonly MiddlewareLike[], user: string): Compiled[] {
    const { root } = this.#parts.graph;
    return middlewares
      .map((middleware) => this.#compile(middleware, user, root, user))
      .filter((middleware) => middleware !== undefined);
  }

  #compile(middleware: MiddlewareLike, place: string, node: ModuleNode, user: string): Compiled | undefined {
    const { container, problems } = this.#parts;
    return readMiddleware(middleware, place, { container, node, user, problems });
  }
}

function toLostOptions(log: Log, production: boolean): ComposeOptions {
  const onLostError: ComposeOptions["onLostError"] = (ctx, name, error) =>
    log.error({ err: error }, `${toSafeName(ctx)}: failed after ${name} had returned another value`);
  if (production) return { onLostError };
  return {
    onLostError,
    onLostValue: (name) => log.warn(`${name} called next() and did not return its value: return next()`),
  };
}
