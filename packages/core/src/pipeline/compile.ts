import type { Container } from "../di/container.ts";
import { isClass } from "../di/token.ts";
import type { Problem } from "../errors.ts";
import type { ModuleNode } from "../module/graph.ts";
import {
  type Compiled,
  isMiddleware,
  type Middleware,
  type MiddlewareFunction,
  type MiddlewareLike,
} from "./middleware.ts";

export interface CompileScope {
  readonly container: Container;
  readonly node: ModuleNode;
  /** Who lists it, for the error. */
  readonly user: string;
  readonly problems: Problem[];
}

/** A class, an instance or a function → something that only needs calling. */
export function compileMiddleware(middleware: MiddlewareLike, scope: CompileScope): Compiled | undefined {
  if (isClass(middleware)) {
    const instance = scope.container.obtain(scope.node, middleware, scope.user);
    if (instance === undefined) return undefined; // the container has reported why
    return isMiddleware(instance) ? bound(middleware.name, instance) : refuse(middleware.name, scope);
  }
  if (typeof middleware === "function") {
    return { name: middleware.name || "(anonymous)", handle: middleware as MiddlewareFunction }; // not a class, see above
  }
  if (isMiddleware(middleware)) return bound(middleware.constructor.name, middleware);
  return refuse(String(middleware), scope);
}

function bound(name: string, middleware: Middleware): Compiled {
  return { name, handle: middleware.handle.bind(middleware) };
}

function refuse(what: string, { user, node, problems }: CompileScope): undefined {
  problems.push({
    code: "BAD_MIDDLEWARE",
    message: `${user} (module "${node.name}") lists ${what} as a middleware, which has no handle(ctx, next). Use a class or an object with it, or a function.`,
  });
  return undefined;
}
