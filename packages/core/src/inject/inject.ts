import { StartError } from "../support/errors.ts";
import { type Key, keyName } from "./token.ts";

export interface Injector {
  resolve(key: Key): unknown;
}

// What is being constructed. The only other state at module level in core: the channels and `requestStore` of
// request/tracing.ts, once in a process like node:diagnostics_channel; what is known about a schema of another library, for
// as long as that lives (schema/foreign-schema.ts); and the registry of middleware/file-chunks.ts, which closes forgotten files. @tenon/server has one too, `knownHost` of
// request/inspect.ts, a cache of one text.
let current: Injector | undefined;

/** Asks for a dependency. Works while the container constructs: in field initialisers, constructors and factories. */
export function inject<T>(key: Key<T>): T {
  if (current === undefined) {
    throw new StartError([
      {
        code: "INJECT_OUTSIDE_CONSTRUCTION",
        message:
          `inject(${keyName(key)}) was called outside construction. ` +
          "Call it in a field initialiser, a constructor or a provide() factory, and let the container construct the class: list it in a module's declarations instead of using new.",
      },
    ]);
  }
  return current.resolve(key) as T; // the container keeps the key and the type of its value together
}

/** Runs `construct` while `inject()` uses `injector`. The pointer is restored before anything asynchronous can run. */
export function withInjector<T>(injector: Injector, construct: () => T): T {
  const previous = current;
  current = injector;
  try {
    return construct();
  } finally {
    current = previous;
  }
}

/** Thrown by every use of an unusable dependency. Its problem is already reported, so this error is not. */
export class UnusableDependency extends Error {
  constructor() {
    super("a dependency could not be made");
  }
}

function refuse(): never {
  throw new UnusableDependency();
}

/** Replaces a dependency that could not be resolved, so that construction continues and finds the other problems too. */
export const unusable: unknown = new Proxy(function dependency() {}, {
  apply: refuse,
  construct: refuse,
  defineProperty: refuse,
  deleteProperty: refuse,
  get: refuse,
  getOwnPropertyDescriptor: refuse,
  has: refuse,
  ownKeys: refuse,
  set: refuse,
});
