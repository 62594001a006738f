import { type Context, RequestContext } from "./context.ts";
import type { ContextTools } from "./context-tools.ts";
import { readFormInput, readJsonInput } from "./dto/bind.ts";
import { type ErrorFormat, formatError, plainErrors, withRejectedStatus } from "./error-format.ts";
import { BindError, describeValue, HttpError, toHttpError } from "./errors.ts";
import type { Log } from "./log/log.ts";
import type { MatchedRoute, RouteParams } from "./matched-route.ts";
import type { Runnable } from "./observed-chain.ts";
import type { Platform, RequestHandler } from "./platform.ts";
import type { Handler } from "./record.ts";
import { isThenable, Outgoing, Reply, toReply } from "./reply.ts";
import type { Incoming } from "./request.ts";
import { MalformedTarget, type Router, refuseNul } from "./router.ts";
import { isChainObserved, isObserved, RequestSignal, requestSignal, requestStore, trace } from "./signals.ts";
import type { RunnableRoute } from "./table.ts";

export interface KernelParts {
  readonly router: Router<RunnableRoute>;
  readonly platform: Pick<
    Platform,
    "name" | "serialize" | "fail" | "limits" | "readInput" | "readQuery" | "readForm" | "showProgress" | "errors"
  >;
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
    const { limits, showProgress, readInput, readQuery, errors = plainErrors } = platform;
    this.#errors = errors;
    this.#tools = {
      limits,
      log,
      showProgress,
      readQuery,
      readForm: platform.readForm ?? ((_, request) => readFormInput(request)),
      readInput: readInput ?? ((incoming, request) => readJsonInput(incoming, request, limits)),
      onUnknownParam: createParamWarning(log),
    };
  }

  handle(incoming: Incoming): Outgoing | Promise<Outgoing> {
    let chain: Runnable;
    let ctx: Context;
    try {
      if (incoming.method !== "") refuseNul(incoming.search); // a command has no method, and its flags are no query
      const match = this.#parts.router.resolve(incoming.method, incoming.path);
      chain = match?.route ?? this.#parts.onMiss;
      ctx = new RequestContext(incoming, match ?? noMatch, this.#tools);
    } catch (error) {
      ctx = new RequestContext(incoming, noMatch, this.#tools);
      if (!(error instanceof MalformedTarget)) return this.#fail(ctx, error);
      chain = this.#parts.onMalformed;
    }
    if (isObserved()) return this.#observe(incoming, ctx, chain);
    try {
      const value = chain.run(ctx);
      return isThenable(value) ? this.#settle(ctx, value) : this.#respond(ctx, value);
    } catch (error) {
      return this.#fail(ctx, error);
    }
  }

  #observe(incoming: Incoming, ctx: Context, chain: Runnable): Outgoing | Promise<Outgoing> {
    const run = isChainObserved() ? chain.observed() : chain.run;
    if (!requestSignal.hasSubscribers) return this.#run(ctx, run);
    const signal = new RequestSignal(incoming, ctx, this.#parts.platform.name);
    RequestContext.setSignal(ctx, signal);
    return requestStore.run(signal, () => trace(requestSignal, signal, () => this.#run(ctx, run)));
  }

  /** As `handle()` does without subscribers, where it saves a frame of the stack. */
  #run(ctx: Context, run: Handler): Outgoing | Promise<Outgoing> {
    try {
      const value = run(ctx);
      return isThenable(value) ? this.#settle(ctx, value) : this.#respond(ctx, value);
    } catch (error) {
      return this.#fail(ctx, error);
    }
  }

  async #settle(ctx: Context, value: PromiseLike<unknown>): Promise<Outgoing> {
    try {
      return this.#respond(ctx, await value); // a promise of it catches its own errors
    } catch (error) {
      return this.#fail(ctx, error);
    }
  }

  #respond(ctx: Context, value: unknown): Outgoing | Promise<Outgoing> {
    const outgoing = this.#parts.platform.serialize(this.#format(ctx, toReply(value)), ctx);
    if (!(outgoing instanceof Promise)) return finish(ctx, outgoing);
    return outgoing.then((ready) => finish(ctx, ready)).catch((error: unknown) => this.#fail(ctx, error));
  }

  /** `{ error }` that a handler or a middleware returned, in the application's format. */
  #format(ctx: Context, reply: Reply): Reply {
    if (this.#errors === plainErrors || !isPlainError(reply)) return reply;
    const { body, type } = formatError(new HttpError(reply.status, reply.value.error), this.#errors);
    ctx.response().setHeader("content-type", type);
    return reply.withValue(body);
  }

  /** Drops the headers that were set so far: the handler set them for another response. */
  #fail(ctx: Context, thrown: unknown): Outgoing | Promise<Outgoing> {
    RequestContext.takeHeaders(ctx);
    publishError(ctx, thrown);
    const error = withRejectedStatus(thrown, this.#errors);
    try {
      const outgoing = this.#parts.platform.fail?.(error, ctx) ?? this.#serializeError(ctx, error);
      if (!(outgoing instanceof Promise)) return finish(ctx, outgoing);
      return outgoing.then((ready) => finish(ctx, ready)).catch((failure: unknown) => this.#giveUp(failure));
    } catch (failure) {
      return this.#giveUp(failure);
    }
  }

  #serializeError(ctx: Context, error: unknown): Outgoing | Promise<Outgoing> {
    logError(ctx, error, this.#parts.production);
    const failure = toHttpError(error);
    const { body, type } = formatError(failure, this.#errors);
    for (const [name, value] of Object.entries(failure.headers)) ctx.response().setHeader(name, value);
    if (type !== plainErrors.type) ctx.response().setHeader("content-type", type);
    return this.#parts.platform.serialize(new Reply(failure.status, "json", body), ctx);
  }

  /** The error response failed too: a hook or a serializer is broken. */
  #giveUp(failure: unknown): Outgoing {
    this.#parts.log.error({ err: failure }, "the error response could not be made");
    return new Outgoing(500, '{"error":"Internal Server Error"}', "application/json; charset=utf-8");
  }
}

/** To the subscribers that saw the start of the request. */
function publishError(ctx: Context, error: unknown): void {
  const signal = RequestContext.signalOf(ctx);
  if (!(signal instanceof RequestSignal)) return;
  signal.error = error;
  requestSignal.error.publish(signal);
}

function finish(ctx: Context, outgoing: Outgoing): Outgoing {
  const headers = RequestContext.takeHeaders(ctx);
  if (headers !== undefined) outgoing.addHeaders(headers);
  RequestContext.runHooks(ctx, outgoing);
  return outgoing;
}

const noMatch: RouteParams = Object.freeze({
  matched: undefined,
  param: () => undefined,
  toMap: () => Object.create(null),
  rest: () => [],
});

const maxParamWarnings = 1000;

/** Warns once for each route and name; names may come from clients, so there is a limit. */
function createParamWarning(log: Log): ContextTools["onUnknownParam"] {
  const warned = new Set<string>();
  return ({ method, path }: MatchedRoute, name: string) => {
    const route = method === undefined ? path : `${method} ${path}`;
    const key = `${route} ${name}`;
    if (warned.has(key) || warned.size >= maxParamWarnings) return;
    warned.add(key);
    log.warn(`${route} has no parameter :${name}: ctx.param(${JSON.stringify(name)}) is ""`);
  };
}

/** `{ error }` with an error status, by the convention for plain values or by `ctx.status(n).json()`. */
function isPlainError(reply: Reply): reply is Reply<number, { readonly error: string }> {
  const { status, kind, value } = reply;
  if (status < 400 || kind !== "json" || typeof value !== "object" || value === null || !("error" in value))
    return false;
  return typeof value.error === "string" && Object.keys(value).every((key) => key === "error" || key === "status");
}

/** Logs a failed request, unless the client caused the error. Rejected input is at `info` outside production. */
export function logError(ctx: Context, error: unknown, production = false): void {
  if (error instanceof BindError) {
    ctx.log[production ? "debug" : "info"](
      { issues: toIssueMap(error) },
      `${ctx.method} ${ctx.path}: the input was rejected`,
    );
  } else if (!(error instanceof HttpError)) ctx.log.error(toErrorFields(error), `${ctx.method} ${ctx.path} failed`);
  else if (error.status >= 500) ctx.log.error({ err: error }, `${ctx.method} ${ctx.path} failed`);
}

/** By path: some schemas quote the input, and the log redacts the values of fields like `password` by name. */
function toIssueMap({ issues }: BindError): Record<string, string[]> {
  const byPath = Map.groupBy(issues, (issue) => issue.path || `(${issue.in ?? "body"})`);
  return Object.fromEntries([...byPath].map(([path, list]) => [path, list.map((i) => `${i.rule}: ${i.message}`)]));
}

/** `throw null` and `throw "x"` are logged as such. */
function toErrorFields(error: unknown): Record<string, unknown> {
  if (error instanceof Error) return { err: error };
  return { err: new Error(`${describeValue(error)} was thrown, which is not an Error`), thrown: error };
}
