import type { Container } from "../inject/container.ts";
import type { ModuleNode } from "../inject/graph.ts";
import { unusable } from "../inject/inject.ts";
import { isClass } from "../inject/token.ts";
import { describeValue, importEachOther, type Problem } from "../support/errors.ts";
import { bindMiddleware, type Compiled, isMiddleware } from "./compose.ts";
import { findGuardProblems } from "./contract-problems.ts";
import type { MiddlewareFunction, MiddlewareLike } from "./handler.ts";

export interface CompileScope {
  readonly container: Container;
  readonly node: ModuleNode;
  /** The class that lists it. */
  readonly user: string;
  readonly problems: Problem[];
}

/** A class, an instance or a function → a function to call. `place` names the route that lists it. */
export function compileMiddleware(
  middleware: MiddlewareLike,
  place: string,
  scope: CompileScope,
): Compiled | undefined {
  const compiled = toCompiled(middleware, place, scope);
  for (const problem of [compiled?.contract ?? []].flat().flatMap(findGuardProblems)) {
    scope.problems.push({
      code: "BAD_CONTRACT",
      message: `The contract of the middleware ${compiled?.name} ${problem}`,
    });
  }
  return compiled;
}

function toCompiled(
  middleware: MiddlewareLike,
  place: string,
  { container, node, user, problems }: CompileScope,
): Compiled | undefined {
  const refuse = (cure: string): undefined => {
    const message = `${place} lists ${describeValue(middleware)} as a middleware. ${cure}`;
    problems.push({ code: "BAD_MIDDLEWARE", message });
  };
  if (middleware === undefined) return refuse(`Check its spelling. ${importEachOther}`);
  if (middleware === unusable) return undefined; // the container has reported why
  if (isClass(middleware)) {
    const instance = container.obtain(node, middleware, user);
    if (instance === undefined) return undefined; // likewise
    if (isMiddleware(instance)) return bindMiddleware(middleware.name, instance);
    return refuse("Give it a method handle(ctx, next).");
  }
  if (typeof middleware === "function") {
    const handle = middleware as MiddlewareFunction; // not a class, see above
    return { name: handle.name || "(anonymous)", handle, contract: handle.contract };
  }
  if (isMiddleware(middleware)) return bindMiddleware(middleware.constructor?.name ?? "(anonymous)", middleware);
  return refuse("Use a class or an object with handle(ctx, next), or a function.");
}
