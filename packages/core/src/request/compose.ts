import type { Context } from "./context.ts";
import type { Handler, Middleware, MiddlewareFunction } from "./handler.ts";

/** A middleware that only needs calling: the container is not used during a request. */
export interface Compiled {
  readonly name: string;
  readonly handle: MiddlewareFunction;
  readonly contract: Middleware["contract"];
}

/** Undefined for what is not a middleware. `name` is that of its class. */
export function toCompiled(middleware: unknown, name?: string): Compiled | undefined {
  if (typeof middleware === "function") {
    const handle = middleware as MiddlewareFunction; // not a class: the caller has made an instance of it
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

export interface ComposeOptions {
  /** Called once for each middleware that calls `next()` and drops its value; left out in production. */
  readonly onLostValue?: (middleware: string) => void;
  /** Called with an error that reaches no client, because the middleware has returned another value. */
  readonly onLostError?: (ctx: Context, middleware: string, error: unknown) => void;
}

/** Builds the chain of one route, once. A chain in which nothing is asynchronous runs without a promise. */
export function compose(middlewares: readonly Compiled[], handler: Handler, options: ComposeOptions = {}): Handler {
  return middlewares.reduceRight<Handler>((inner, middleware) => wrap(middleware, inner, options), handler);
}

const notCalled = Symbol("next() was not called");

function wrap({ name, handle }: Compiled, inner: Handler, { onLostValue, onLostError }: ComposeOptions): Handler {
  let warned = false;
  const useInner = (value: unknown): unknown => {
    if (!warned && value !== undefined) {
      warned = true;
      onLostValue?.(name);
    }
    return value;
  };

  return (ctx: Context): unknown => {
    let innerValue: unknown = notCalled;
    let returned = false;
    const result = handle(ctx, () => {
      if (innerValue !== notCalled) throw new Error(`${name} called next() twice`);
      innerValue = undefined; // a middleware may catch what inner() throws, and call next() again
      innerValue = inner(ctx);
      if (innerValue instanceof Promise) {
        // a middleware may drop the promise and fail itself: the unhandled rejection would crash the process
        innerValue.catch((error: unknown) => {
          if (returned) onLostError?.(ctx, name, error);
        });
      }
      return innerValue;
    });
    if (result === innerValue) return result; // no promise of its own for `return next()`
    const settle = (value: unknown): unknown => {
      returned = value !== undefined || innerValue === notCalled;
      if (returned) return value;
      return innerValue instanceof Promise ? innerValue.then(useInner) : useInner(innerValue);
    };
    return result instanceof Promise ? result.then(settle) : settle(result);
  };
}
