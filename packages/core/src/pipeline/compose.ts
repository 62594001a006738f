import type { Context } from "../context/context.ts";
import type { Handler } from "../route/record.ts";
import type { Compiled } from "./middleware.ts";

export interface ComposeOptions {
  /** Told once per middleware that called `next()` and dropped its value; left out in production. */
  readonly onLostValue?: (middleware: string) => void;
  /** Told of a failure that nobody waits for, because the middleware has answered without it. */
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
    let answered = false;
    let innerValue: unknown;
    const result = handle(ctx, () => {
      if (called) throw new Error(`${name} called next() twice`);
      called = true;
      innerValue = inner(ctx);
      if (innerValue instanceof Promise) {
        // a middleware may drop the promise and fail itself: unhandled, the rejection would end the process
        innerValue.catch((error: unknown) => {
          if (answered) onLostError?.(ctx, name, error);
        });
      }
      return innerValue;
    });
    if (result instanceof Promise) {
      return result.then((value) => {
        if (value === undefined && called) return settle(innerValue, useInner);
        answered = true;
        return value;
      });
    }
    if (result === undefined && called) return settle(innerValue, useInner);
    answered = true;
    return result;
  };
}

function settle(value: unknown, use: (value: unknown) => unknown): unknown {
  return value instanceof Promise ? value.then(use) : use(value);
}
