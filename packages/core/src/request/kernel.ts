import { defaultRequestLimits, type RequestLimits } from "../body/limits.ts";
import type { Log } from "../log/log.ts";
import { createOverloadLog } from "../log/overload-log.ts";
import { toSafeName } from "../log/safe-urls.ts";
import { DeclaredError, HttpError, toHttpError } from "../support/errors.ts";
import { MalformedTarget } from "../support/path.ts";
import { type Context, RequestContext, stateOf } from "./context.ts";
import type { ContextTools, InputReaders, ReplyHook } from "./context-types.ts";
import type { RouteParams } from "./contract.ts";
import type { DeclaredFields } from "./declared-fields.ts";
import { type ErrorFormat, formatError, plainErrors, withRejectedStatus } from "./error-format.ts";
import type { Handler } from "./handler.ts";
import type { Runnable } from "./observed-chain.ts";
import { isThenable, Outgoing, Reply, toReply } from "./reply.ts";
import type { Incoming } from "./request.ts";
import { createParamWarning, logError } from "./request-log.ts";
import { handlerTracing, middlewareTracing, requestStore, requestTracing, TracedRequest, trace } from "./tracing.ts";

/** Handles a request. Neither throws nor rejects. */
export interface RequestHandler {
  handle(incoming: Incoming): Outgoing | Promise<Outgoing>;
}

/** How a platform reads requests and writes responses. */
export interface KernelPlatform extends InputReaders {
  readonly name: string;
  /** Defaults to those of docs/limits.md. */
  readonly limits?: RequestLimits;
  serialize(reply: Reply, ctx: Context): Outgoing | Promise<Outgoing>;
  /**
   * Logs an error and turns it into a response. Defaults to `{ error }` with its status, also where it returns
   * undefined; unknown errors are hidden.
   */
  fail?(error: unknown, ctx: Context): Outgoing | Promise<Outgoing> | undefined;
  /** How errors are written. Defaults to `{ error }`. */
  readonly errors?: ErrorFormat;
  readonly showProgress?: ContextTools["showProgress"];
}

/** What the kernel runs for a route. */
interface RouteChain extends Runnable {
  /** Undefined where it declares no response. */
  readonly declared: DeclaredFields | undefined;
}

export interface KernelParts {
  /** Finds the route of a request; `method` is undefined for a command. */
  readonly router: {
    resolve(method: string | undefined, path: string): (RouteParams & { readonly route: RouteChain }) | undefined;
  };
  readonly platform: KernelPlatform;
  readonly log: Log;
  /** Logs rejected input at `debug` only, because it may tell about users. Defaults to false. */
  readonly production?: boolean;
  /** The application's middlewares around a miss and around a malformed path or query. */
  readonly onMiss: Runnable;
  readonly onMalformed: Runnable;
}

/** match → run → respond. The only place where errors of a request are caught; `handle` neither throws nor rejects. */
export class Kernel implements RequestHandler {
  readonly #parts: KernelParts;
  readonly #tools: ContextTools;
  readonly #errors: ErrorFormat;

  constructor(parts: KernelParts) {
    this.#parts = parts;
    const { log, platform } = parts;
    const { limits = defaultRequestLimits, showProgress, errors = plainErrors } = platform;
    this.#errors = errors;
    this.#tools = {
      limits,
      log,
      showProgress,
      readers: platform,
      onUnknownParam: createParamWarning(log),
      onOverload: createOverloadLog(log),
    };
  }

  handle(incoming: Incoming): Outgoing | Promise<Outgoing> {
    let chain: Runnable;
    let declared: DeclaredFields | undefined;
    let ctx: Context;
    try {
      const method = incoming.isCommand === true ? undefined : incoming.method;
      if (method !== undefined && incoming.search.includes("%00")) throw new MalformedTarget(); // as in a path
      const match = this.#parts.router.resolve(method, incoming.path);
      chain = match?.route ?? this.#parts.onMiss;
      declared = match?.route.declared;
      ctx = new RequestContext(incoming, match ?? noMatch, this.#tools);
    } catch (error) {
      ctx = new RequestContext(incoming, noMatch, this.#tools);
      if (!(error instanceof MalformedTarget)) return this.#fail(ctx, error, undefined);
      chain = this.#parts.onMalformed;
    }
    const isObserved = handlerTracing.hasSubscribers || middlewareTracing.hasSubscribers;
    const run = isObserved ? chain.observed() : chain.run;
    if (!requestTracing.hasSubscribers) return this.#run(ctx, run, declared);
    return this.#observe(incoming, ctx, () => this.#run(ctx, run, declared));
  }

  #observe(incoming: Incoming, ctx: Context, start: () => Outgoing | Promise<Outgoing>): Outgoing | Promise<Outgoing> {
    const traced = new TracedRequest(incoming, ctx, this.#parts.platform.name);
    stateOf(ctx).traced = traced;
    return requestStore.run(traced, () => trace(requestTracing, traced, start));
  }

  #run(ctx: Context, run: Handler, declared: DeclaredFields | undefined): Outgoing | Promise<Outgoing> {
    try {
      const value = run(ctx);
      return isThenable(value) ? this.#settle(ctx, value, declared) : this.#respond(ctx, value, declared);
    } catch (error) {
      return this.#fail(ctx, error, declared);
    }
  }

  async #settle(ctx: Context, value: PromiseLike<unknown>, declared: DeclaredFields | undefined): Promise<Outgoing> {
    try {
      return this.#respond(ctx, await value, declared); // a promise of it catches its own errors
    } catch (error) {
      return this.#fail(ctx, error, declared);
    }
  }

  /** The one way out: select, format, serialize, headers. */
  #respond(ctx: Context, value: unknown, declared: DeclaredFields | undefined): Outgoing | Promise<Outgoing> {
    const reply = toReply(value);
    const selected = declared === undefined ? reply : declared.select(ctx, reply);
    const outgoing =
      selected instanceof Promise ? selected.then((ready) => this.#send(ctx, ready)) : this.#send(ctx, selected);
    if (!(outgoing instanceof Promise)) return finish(ctx, outgoing, declared);
    return outgoing
      .then((ready) => finish(ctx, ready, declared))
      .catch((error: unknown) => this.#fail(ctx, error, declared));
  }

  /** `{ error }` that a handler or a middleware returned is written in the application's format. */
  #send(ctx: Context, reply: Reply): Outgoing | Promise<Outgoing> {
    const { status, error } = reply;
    if (error === undefined || this.#errors === plainErrors) return this.#parts.platform.serialize(reply, ctx);
    const { body, type } = formatError(new HttpError(status, error), this.#errors);
    ctx.response().setHeader("content-type", type);
    return this.#parts.platform.serialize(reply.withValue(body), ctx);
  }

  /** Drops the headers that were set so far: the handler set them for another response. */
  #fail(ctx: Context, thrown: unknown, declared: DeclaredFields | undefined): Outgoing | Promise<Outgoing> {
    stateOf(ctx).takeHeaders();
    publishError(ctx, thrown);
    if (!(thrown instanceof DeclaredError) || declared === undefined) return this.#sendError(ctx, thrown, declared);
    return declared.selectError(thrown).then((error) => this.#sendError(ctx, error, declared));
  }

  #sendError(ctx: Context, thrown: unknown, declared: DeclaredFields | undefined): Outgoing | Promise<Outgoing> {
    try {
      const error = withRejectedStatus(thrown, this.#errors);
      declared?.check?.compareError(ctx, error);
      const outgoing = this.#parts.platform.fail?.(error, ctx) ?? this.#serializeError(ctx, error);
      if (!(outgoing instanceof Promise)) return finish(ctx, outgoing, declared);
      return outgoing.then((ready) => finish(ctx, ready, declared)).catch((cause: unknown) => this.#giveUp(cause));
    } catch (cause) {
      return this.#giveUp(cause);
    }
  }

  #serializeError(ctx: Context, error: unknown): Outgoing | Promise<Outgoing> {
    logError(ctx, error, this.#parts.production);
    const httpError = toHttpError(error);
    const { body, type } = formatError(httpError, this.#errors);
    for (const [name, value] of Object.entries(httpError.headers)) ctx.response().setHeader(name, value);
    if (type !== plainErrors.type) ctx.response().setHeader("content-type", type);
    return this.#parts.platform.serialize(new Reply(httpError.status, "json", body), ctx);
  }

  /** The error response failed too: a hook or a serializer is broken. */
  #giveUp(cause: unknown): Outgoing {
    this.#parts.log.error({ err: cause }, "the error response could not be made");
    return new Outgoing(500, '{"error":"Internal Server Error"}', "application/json; charset=utf-8");
  }
}

/** To the subscribers that saw the start of the request. */
function publishError(ctx: Context, error: unknown): void {
  const { traced } = stateOf(ctx);
  if (!(traced instanceof TracedRequest)) return;
  traced.error = error;
  requestTracing.error.publish(traced);
}

function finish(ctx: Context, outgoing: Outgoing, declared: DeclaredFields | undefined): Outgoing {
  const state = stateOf(ctx);
  const headers = state.takeHeaders();
  if (headers !== undefined) outgoing.addHeaders(headers);
  if (state.hooks !== undefined) runHooks(ctx, state.hooks, outgoing);
  declared?.check?.compareHeaders(ctx, outgoing);
  return outgoing;
}

function runHooks(ctx: Context, hooks: readonly ReplyHook[], outgoing: Outgoing): void {
  for (const hook of hooks.toReversed()) {
    const pending: unknown = hook(outgoing);
    // the response does not wait for an asynchronous hook: its unhandled rejection would crash the process
    if (pending instanceof Promise) {
      pending.catch((error: unknown) => ctx.log.error({ err: error }, `${toSafeName(ctx)}: a hook failed`));
    }
  }
}

const noMatch: RouteParams = Object.freeze({
  matched: undefined,
  param: () => undefined,
  toMap: () => Object.create(null),
  rest: () => [],
});
