import type { Container } from "../di/container.ts";
import { isClass } from "../di/token.ts";
import { unusable } from "../di/unusable.ts";
import { describeValue, importEachOther, type Problem } from "../errors.ts";
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
  /** The class that lists it: the one who asks for its dependencies. */
  readonly user: string;
  readonly problems: Problem[];
}

/** A class, an instance or a function → something that only needs calling. `place` names the route that lists it. */
export function compileMiddleware(
  middleware: MiddlewareLike,
  place: string,
  { container, node, user, problems }: CompileScope,
): Compiled | undefined {
  const refuse = (cure: string): undefined => {
    problems.push({
      code: "BAD_MIDDLEWARE",
      message: `${place} lists ${describeValue(middleware)} as a middleware. ${cure}`,
    });
  };
  if (middleware === undefined) return refuse(`Check its spelling. ${importEachOther}`);
  if (middleware === unusable) return undefined; // an injected one: the container has reported why
  if (isClass(middleware)) {
    const instance = container.obtain(node, middleware, user);
    if (instance === undefined) return undefined; // likewise
    return isMiddleware(instance) ? bound(middleware.name, instance) : refuse("Give it a method handle(ctx, next).");
  }
  if (typeof middleware === "function") {
    return { name: middleware.name || "(anonymous)", handle: middleware as MiddlewareFunction }; // not a class, see above
  }
  if (isMiddleware(middleware)) return bound(middleware.constructor?.name ?? "(anonymous)", middleware);
  return refuse("Use a class or an object with handle(ctx, next), or a function.");
}

function bound(name: string, middleware: Middleware): Compiled {
  return { name, handle: (ctx, next) => middleware.handle(ctx, next) }; // V8 sees through this, and not through bind()
}
