import type { Compiled } from "./compose.ts";
import type { Handler } from "./handler.ts";
import { handlerTracing, middlewareTracing, trace } from "./tracing.ts";

/** A chain without tracing, and with it: that one is composed when a subscriber first needs it. */
export interface Runnable {
  readonly run: Handler;
  readonly observed: () => Handler;
}

export function toRunnable(compose: (isObserved: boolean) => Handler): Runnable {
  let observed: Handler | undefined;
  return {
    run: compose(false),
    observed: () => {
      observed ??= compose(true);
      return observed;
    },
  };
}

/** Publishes `tenon.middleware`. */
export function observeMiddleware(middleware: Compiled): Compiled {
  const { name, handle } = middleware;
  return {
    ...middleware,
    handle: (ctx, next) => {
      if (!middlewareTracing.hasSubscribers) return handle(ctx, next);
      return trace(middlewareTracing, { ctx, name }, () => handle(ctx, next));
    },
  };
}

/** Publishes `tenon.handler`. */
export function observeHandler(handler: Handler, name: string): Handler {
  return (ctx) => {
    if (!handlerTracing.hasSubscribers) return handler(ctx);
    return trace(handlerTracing, { ctx, name }, () => handler(ctx));
  };
}
