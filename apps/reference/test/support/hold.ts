/** A resource that is otherwise scoped to a callback, held open between two hooks of a test. */
export interface Held<T> {
  readonly value: T;
  open(): Promise<T>;
  close(): Promise<void>;
}

/** `withThing` passes a resource to its callback and releases it when the callback ends. */
export function hold<T>(withThing: (use: (thing: T) => Promise<void>) => Promise<void>): Held<T> {
  const opened = Promise.withResolvers<T>();
  const finished = Promise.withResolvers<void>();
  let running: Promise<void> | undefined;
  let held: { readonly thing: T } | undefined;
  return {
    get value() {
      if (held === undefined) throw new Error("it is not open");
      return held.thing;
    },
    async open() {
      running = withThing((thing) => {
        opened.resolve(thing);
        return finished.promise;
      });
      running.catch(opened.reject);
      const thing = await opened.promise;
      held = { thing };
      return thing;
    },
    async close() {
      finished.resolve();
      await running;
    },
  };
}
