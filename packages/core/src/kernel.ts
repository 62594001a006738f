import { type Input, readJsonInput } from "./body/input.ts";
import { isJson } from "./body/json.ts";
import { type Context, type ContextTools, type ReplyHook, RequestContext, stateOf } from "./context.ts";
import type { MatchedRoute, RouteParams } from "./contract.ts";
import {
  handlerSignal,
  middlewareSignal,
  RequestSignal,
  requestSignal,
  requestStore,
  trace,
} from "./diagnostics/channels.ts";
import type { Runnable } from "./diagnostics/observed-chain.ts";
import { selectChanged, selectReplaced } from "./endpoint.ts";
import { type ErrorFormat, formatError, plainErrors, withRejectedStatus } from "./error-format.ts";
import { BindError, describeValue, HttpError, type Issue, toHttpError } from "./errors.ts";
import type { Log } from "./log/log.ts";
import { isSecretInput } from "./log/log-redact.ts";
import { toSafeName } from "./log/safe-urls.ts";
import type { BackgroundPlatform, NamedPlatform, RequestHandler } from "./platform.ts";
import { isThenable, Outgoing, Reply, toReply } from "./reply.ts";
import type { Incoming, RequestView } from "./request.ts";
import type { Handler } from "./route.ts";
import { MalformedTarget, type Router, refuseNul } from "./router.ts";
import type { RunnableRoute } from "./table.ts";

export interface KernelParts {
  readonly router: Router<RunnableRoute>;
  readonly platform: Pick<
    NamedPlatform,
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
      readForm: platform.readForm ?? readForm,
      readInput: readInput ?? ((incoming, request) => readJsonInput(incoming, request, limits)),
      onUnknownParam: createParamWarning(log),
    };
  }

  handle(incoming: Incoming): Outgoing | Promise<Outgoing> {
    let chain: Runnable;
    let ctx: Context;
    try {
      if (incoming.method !== "") refuseNul(incoming.search); // a command has no method, and its flags are not a query
      const match = this.#parts.router.resolve(incoming.method, incoming.path);
      chain = match?.route ?? this.#parts.onMiss;
      ctx = new RequestContext(incoming, match ?? noMatch, this.#tools);
    } catch (error) {
      ctx = new RequestContext(incoming, noMatch, this.#tools);
      if (!(error instanceof MalformedTarget)) return this.#fail(ctx, error);
      chain = this.#parts.onMalformed;
    }
    return requestSignal.hasSubscribers || isChainObserved()
      ? this.#observe(incoming, ctx, chain)
      : this.#run(ctx, chain.run);
  }

  #observe(incoming: Incoming, ctx: Context, chain: Runnable): Outgoing | Promise<Outgoing> {
    const run = isChainObserved() ? chain.observed() : chain.run;
    if (!requestSignal.hasSubscribers) return this.#run(ctx, run);
    const signal = new RequestSignal(incoming, ctx, this.#parts.platform.name);
    stateOf(ctx).signal = signal;
    return requestStore.run(signal, () => trace(requestSignal, signal, () => this.#run(ctx, run)));
  }

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
    const contract = ctx.route?.contract;
    const reply = contract === undefined ? toReply(value) : selectReplaced(contract, toReply(value));
    const outgoing = this.#parts.platform.serialize(this.#format(ctx, reply), ctx);
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
    stateOf(ctx).takeHeaders();
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

/** Whether middlewares and handlers are to publish. */
function isChainObserved(): boolean {
  return handlerSignal.hasSubscribers || middlewareSignal.hasSubscribers;
}

/** To the subscribers that saw the start of the request. */
function publishError(ctx: Context, error: unknown): void {
  const { signal } = stateOf(ctx);
  if (!(signal instanceof RequestSignal)) return;
  signal.error = error;
  requestSignal.error.publish(signal);
}

function finish(ctx: Context, outgoing: Outgoing): Outgoing {
  const state = stateOf(ctx);
  const headers = state.takeHeaders();
  if (headers !== undefined) outgoing.addHeaders(headers);
  if (state.hooks === undefined) return outgoing;
  const { body, type } = outgoing;
  runHooks(ctx, state.hooks, outgoing);
  if (outgoing.body !== body && isJson(type)) selectChanged(ctx.route?.contract, outgoing);
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

/** The body as a form, with its files. */
async function readForm(_: Incoming, request: RequestView): Promise<Input> {
  return { value: (await request.form()).toInput(), fromText: true, fromForm: true };
}

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
      { issues: toLoggedIssues(error) },
      `${toSafeName(ctx)}: the input was rejected`,
    );
  } else if (!(error instanceof HttpError)) ctx.log.error(toErrorFields(error), `${toSafeName(ctx)} failed`);
  else if (error.status >= 500) ctx.log.error({ err: error }, `${toSafeName(ctx)} failed`);
}

/** The rules that the input broke. Messages of a field like `password` are left out: some schemas quote the input. */
function toLoggedIssues({ issues }: BindError): Partial<Issue>[] {
  return issues.map(({ in: part = "body", path, rule, message }) => ({
    path: path || `(${part})`,
    rule,
    ...(path.split(".").some(isSecretInput) ? {} : { message }),
  }));
}

/** `throw null` and `throw "x"` are logged as such. */
function toErrorFields(error: unknown): Record<string, unknown> {
  if (error instanceof Error) return { err: error };
  return { err: new Error(`${describeValue(error)} was thrown, which is not an Error`), thrown: error };
}

/** No route matches: the platform may respond, such as with a file. */
export function respondToMiss(target: NamedPlatform | BackgroundPlatform, ctx: Context): unknown {
  const value = "miss" in target ? target.miss?.(ctx) : undefined;
  if (value !== undefined) return value;
  throw new HttpError(404, "Not Found");
}

export function refuseMalformed(): never {
  throw new HttpError(400, "Bad Request");
}
