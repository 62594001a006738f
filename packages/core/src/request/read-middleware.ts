import type { Container } from "../inject/container.ts";
import type { ModuleNode } from "../inject/graph.ts";
import { unusable } from "../inject/inject.ts";
import { isClass } from "../inject/token.ts";
import { describeValue, type Problem } from "../support/errors.ts";
import type { Compiled } from "./compose.ts";
import { findGuardProblems } from "./contract-problems.ts";
import type { Middleware, MiddlewareFunction, MiddlewareLike } from "./handler.ts";

export interface CompileScope {
  readonly container: Container;
  readonly node: ModuleNode;
  /** The class that lists it. */
  readonly user: string;
  readonly problems: Problem[];
}

/** A class, an instance or a function → a function to call. `place` names the route that lists it. */
export function readMiddleware(
  middleware: MiddlewareLike,
  place: string,
  { container, node, user, problems }: CompileScope,
): Compiled | undefined {
  const instance = isClass(middleware) ? container.obtain(node, middleware, user) : middleware;
  if (instance === unusable) return undefined; // the container has reported why
  const compiled = toCompiled(instance, isClass(middleware) ? middleware.name : undefined);
  if (compiled === undefined) {
    const rule = "A middleware is a function, or a class or an object with handle(ctx, next).";
    const message = `${place} lists ${describeValue(middleware)} as a middleware. ${middleware === undefined ? "Check its spelling." : rule}`;
    problems.push({ code: "BAD_MIDDLEWARE", message });
  }
  for (const problem of [compiled?.contract ?? []].flat().flatMap(findGuardProblems)) {
    problems.push({ code: "BAD_CONTRACT", message: `The contract of the middleware ${compiled?.name} ${problem}` });
  }
  return compiled;
}

function toCompiled(middleware: unknown, name: string | undefined): Compiled | undefined {
  if (typeof middleware === "function") {
    const handle = middleware as MiddlewareFunction; // not a class, see above
    return { name: handle.name || "(anonymous)", handle, contract: handle.contract };
  }
  if (!isMiddleware(middleware)) return undefined;
  // V8 inlines this function, but not bind()
  const handle: MiddlewareFunction = (ctx, next) => middleware.handle(ctx, next);
  return { name: name ?? middleware.constructor?.name ?? "(anonymous)", handle, contract: middleware.contract };
}

function isMiddleware(value: unknown): value is Middleware {
  return typeof value === "object" && value !== null && "handle" in value && typeof value.handle === "function";
}
