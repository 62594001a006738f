import { handlerSignal, middlewareSignal, trace } from "./channels.ts";
import type { Compiled } from "./compose.ts";
import type { Handler } from "./handler.ts";

/** A chain as it runs by default, and the same with signals, which is composed when a subscriber first needs it. */
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
      if (!middlewareSignal.hasSubscribers) return handle(ctx, next);
      return trace(middlewareSignal, { ctx, name }, () => handle(ctx, next));
    },
  };
}

/** Publishes `tenon.handler`. */
export function observeHandler(handler: Handler, name: string): Handler {
  return (ctx) => {
    if (!handlerSignal.hasSubscribers) return handler(ctx);
    return trace(handlerSignal, { ctx, name }, () => handler(ctx));
  };
}
