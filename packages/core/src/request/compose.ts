import { whenReady } from "../support/when-ready.ts";
import type { Context } from "./context.ts";
import type { Handler, Middleware, MiddlewareFunction } from "./handler.ts";

/** A middleware that only needs calling: the container is not used during a request. */
export interface Compiled {
  readonly name: string;
  readonly handle: MiddlewareFunction;
  readonly contract: Middleware["contract"];
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
    let called = false;
    let returned = false;
    let innerValue: unknown;
    const result = handle(ctx, () => {
      if (called) throw new Error(`${name} called next() twice`);
      called = true;
      innerValue = inner(ctx);
      if (innerValue instanceof Promise) {
        // a middleware may drop the promise and fail itself: the unhandled rejection would crash the process
        innerValue.catch((error: unknown) => {
          if (returned) onLostError?.(ctx, name, error);
        });
      }
      return innerValue;
    });
    if (result instanceof Promise) {
      return result.then((value) => {
        if (value === undefined && called) return whenReady(innerValue, useInner);
        returned = true;
        return value;
      });
    }
    if (result === undefined && called) return whenReady(innerValue, useInner);
    returned = true;
    return result;
  };
}
