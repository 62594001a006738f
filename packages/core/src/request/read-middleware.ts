import type { Container } from "../inject/container.ts";
import { unusable } from "../inject/inject.ts";
import type { ModuleNode } from "../inject/module-graph.ts";
import { isClass } from "../inject/token.ts";
import { describeValue, type Problem } from "../support/errors.ts";
import { type Compiled, toCompiled } from "./compose.ts";
import { findMiddlewareProblems } from "./contract-problems.ts";
import type { MiddlewareLike } from "./handler.ts";

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
  for (const problem of [compiled?.contract ?? []].flat().flatMap(findMiddlewareProblems)) {
    problems.push({ code: "BAD_CONTRACT", message: `The contract of the middleware ${compiled?.name} ${problem}` });
  }
  return compiled;
}
