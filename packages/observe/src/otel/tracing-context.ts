import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, emptyContext } from "./light-context.ts";

/** The context manager of OpenTelemetry, on a storage to which channels can be bound. Give it to an SDK of your own. */
export class TracingContextManager {
  readonly storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.storage.getStore() ?? emptyContext;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: Context,
    fn: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.storage.run(context, () => fn.apply(thisArg, args));
  }

  /** Functions only: an event emitter would have to be patched. */
  bind<T>(context: Context, target: T): T {
    if (typeof target !== "function") return target;
    const { storage } = this;
    const bound = function (this: unknown, ...args: unknown[]) {
      return storage.run(context, () => target.apply(this, args));
    };
    return bound as T; // it takes and returns the same
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.storage.disable();
    return this;
  }
}
