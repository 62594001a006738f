import type { AsyncLocalStorage } from "node:async_hooks";
import { type TracingChannel, tracingChannel } from "node:diagnostics_channel";
import type { Context } from "./context.ts";
import type { ResponseHeaders } from "./headers.ts";
import { isThenable, type Outgoing } from "./reply.ts";
import type { Incoming } from "./request.ts";

/** What Node adds to the payload of an operation. */
export interface TracedOutcome {
  /** What the operation has returned. */
  result?: unknown;
  /** What it has thrown. */
  error?: unknown;
  /** What a subscriber keeps until the end, under a symbol of its own: a WeakMap would cost more than the operation. */
  [state: symbol]: unknown;
}

/** `tenon.request`: one request or command in the kernel, from its route to its response. */
export class TracedRequest implements TracedOutcome {
  readonly incoming: Incoming;
  /** The name of the platform: "api", "web", "cli", "jobs". */
  readonly platform: string;
  /** In milliseconds, by `performance.now()`. */
  readonly startTime: number = performance.now();
  result?: Outgoing;
  error?: unknown;
  [state: symbol]: unknown;
  readonly #ctx: Context;

  constructor(incoming: Incoming, ctx: Context, platform: string) {
    this.incoming = incoming;
    this.platform = platform;
    this.#ctx = ctx;
  }

  /** "" for a command or a job. */
  get method(): string {
    return this.incoming.method;
  }

  /** As it was sent, without query. */
  get path(): string {
    return this.incoming.path;
  }

  /** `ctx.id`, which a middleware may replace. */
  get requestId(): string {
    return this.#ctx.id;
  }

  /** With the names of its parameters: `/posts/:id`. Undefined on a miss. */
  get route(): string | undefined {
    return this.#ctx.route?.path;
  }

  /** The status of the response; undefined until the end. */
  get status(): number | undefined {
    return this.result?.status;
  }

  /** The headers of the response; undefined until the end. */
  get headers(): ResponseHeaders | undefined {
    return this.result?.headers;
  }

  /** The size of the response's body; undefined until the end and for a stream. */
  get bytes(): number | undefined {
    const body = this.result?.body;
    if (typeof body === "string") return Buffer.byteLength(body);
    return body instanceof Uint8Array ? body.length : undefined;
  }
}

/** `tenon.middleware`: one middleware, with everything after it. */
export interface TracedMiddleware extends TracedOutcome {
  readonly ctx: Context;
  readonly name: string;
}

/** `tenon.handler`: the handler of a route. */
export interface TracedHandler extends TracedOutcome {
  readonly ctx: Context;
  /** The id of its operation, `posts.show`, or class and method. */
  readonly name: string;
}

/** The channels of one kind of operation. An operation is over at `asyncEnd`, also when it was synchronous. */
export type Tracing<Payload extends object> = TracingChannel<Payload, unknown>;

export const requestTracing: Tracing<TracedRequest> = tracingChannel("tenon.request");
export const middlewareTracing: Tracing<TracedMiddleware> = tracingChannel("tenon.middleware");
export const handlerTracing: Tracing<TracedHandler> = tracingChannel("tenon.handler");

/**
 * Runs requests with a value in a storage, as `requestTracing.start.bindStore()` does, in a third of the time: for bound
 * stores Node creates several disposable objects per request. It has one storage, and needs a subscriber of the channel.
 */
class RequestStore {
  #storage: AsyncLocalStorage<unknown> | undefined;
  #toValue: (payload: TracedRequest) => unknown = () => undefined;

  /** Returns the function that ends it. */
  bind<Value>(storage: AsyncLocalStorage<Value>, toValue: (payload: TracedRequest) => Value): () => void {
    this.#storage = storage as AsyncLocalStorage<unknown>; // it only gets what `toValue` returns
    this.#toValue = toValue;
    return () => {
      if (this.#storage === storage) this.#storage = undefined;
    };
  }

  run<Result>(payload: TracedRequest, operation: () => Result): Result {
    if (this.#storage === undefined) return operation();
    let value: unknown;
    try {
      value = this.#toValue(payload);
    } catch (error) {
      // what a subscriber throws is an uncaught exception, and the request goes on
      process.nextTick(() => {
        throw error;
      });
      return operation();
    }
    return this.#storage.run(value, operation);
  }
}

export const requestStore: RequestStore = new RequestStore();

/**
 * Runs an operation and publishes its steps. Call it only while `tracing.hasSubscribers`, so that no payload is made
 * without a subscriber. What was synchronous stays so.
 */
export function trace<Payload extends TracedOutcome, Result>(
  tracing: Tracing<Payload>,
  payload: Payload,
  run: () => Result,
): Result {
  if (!tracing.start.hasSubscribers) return publishSteps(tracing, payload, run);
  return tracing.start.runStores(payload, () => publishSteps(tracing, payload, run));
}

function publishSteps<Payload extends TracedOutcome, Result>(
  tracing: Tracing<Payload>,
  payload: Payload,
  run: () => Result,
): Result {
  const outcome: TracedOutcome = payload;
  const fail = (error: unknown) => {
    outcome.error = error;
    tracing.error.publish(payload);
  };
  const end = () => {
    tracing.asyncStart.publish(payload);
    tracing.asyncEnd.publish(payload);
  };
  let value: Result;
  try {
    value = run();
  } catch (error) {
    fail(error);
    tracing.end.publish(payload);
    end();
    throw error;
  }
  if (!isThenable(value)) {
    outcome.result = value;
    tracing.end.publish(payload);
    end();
    return value;
  }
  tracing.end.publish(payload);
  const settled = Promise.resolve(value).then(
    (result) => {
      outcome.result = result;
      end();
      return result;
    },
    (error: unknown) => {
      fail(error);
      end();
      throw error;
    },
  );
  return settled as Result; // a promise of the same value
}
