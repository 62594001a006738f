import { type Context, RequestContext } from "./context/context.ts";
import type { Incoming } from "./context/incoming.ts";
import type { RequestLimits } from "./context/limits.ts";
import { HttpError } from "./errors.ts";
import type { Log } from "./log.ts";
import { Outgoing } from "./pipeline/outgoing.ts";
import { Reply, toReply } from "./pipeline/reply.ts";
import type { Platform } from "./platform/platform.ts";
import { reportFailure } from "./report-failure.ts";
import { MatchedParams, noParams } from "./route/params.ts";
import type { Handler } from "./route/record.ts";
import type { RouteTable } from "./route/table.ts";
import { MalformedTarget, refuseNul } from "./route/target.ts";

export interface KernelParts {
  readonly table: RouteTable;
  readonly serialize: Platform["serialize"];
  readonly fail: Platform["fail"];
  readonly limits: RequestLimits;
  readonly log: Log;
  /** The application's middlewares around a miss and around a malformed path or query. */
  readonly onMiss: Handler;
  readonly onMalformed: Handler;
}

/** match → run → reply. The one place where a request's errors end; `handle` neither throws nor rejects. */
export class Kernel {
  readonly #parts: KernelParts;

  constructor(parts: KernelParts) {
    this.#parts = parts;
  }

  handle(incoming: Incoming): Outgoing | Promise<Outgoing> {
    const { limits, log } = this.#parts;
    let run: Handler;
    let ctx: Context;
    try {
      if (incoming.method !== "") refuseNul(incoming.search); // a command has no method, and its flags are no query
      const match = this.#parts.table.resolve(incoming);
      run = match?.route.run ?? this.#parts.onMiss;
      ctx = new RequestContext(incoming, match === undefined ? noParams : new MatchedParams(match), limits, log);
    } catch (error) {
      ctx = new RequestContext(incoming, noParams, limits, log);
      if (!(error instanceof MalformedTarget)) return this.#fail(ctx, error);
      run = this.#parts.onMalformed;
    }
    try {
      const value = run(ctx);
      return isThenable(value) ? this.#settle(ctx, value) : this.#reply(ctx, value);
    } catch (error) {
      return this.#fail(ctx, error);
    }
  }

  async #settle(ctx: Context, value: PromiseLike<unknown>): Promise<Outgoing> {
    try {
      return this.#reply(ctx, await value); // what it promises is caught where it is made
    } catch (error) {
      return this.#fail(ctx, error);
    }
  }

  #reply(ctx: Context, value: unknown): Outgoing | Promise<Outgoing> {
    const outgoing = this.#parts.serialize(toReply(value), ctx);
    if (!(outgoing instanceof Promise)) return ctx.runHooks(outgoing);
    return outgoing.then((ready) => ctx.runHooks(ready)).catch((error: unknown) => this.#fail(ctx, error));
  }

  /** Only what the error itself says goes out: headers that the handler had set were meant for another reply. */
  #fail(ctx: Context, error: unknown): Outgoing | Promise<Outgoing> {
    ctx.takeHeaders();
    try {
      const outgoing = this.#parts.fail?.(error, ctx) ?? this.#replyToError(ctx, error);
      if (!(outgoing instanceof Promise)) return ctx.runHooks(outgoing);
      return outgoing.then((ready) => ctx.runHooks(ready)).catch((failure: unknown) => this.#giveUp(failure));
    } catch (failure) {
      return this.#giveUp(failure);
    }
  }

  #replyToError(ctx: Context, error: unknown): Outgoing | Promise<Outgoing> {
    reportFailure(ctx, error);
    const known = error instanceof HttpError ? error : new HttpError(500, "Internal Server Error");
    for (const [name, value] of Object.entries(known.headers)) ctx.response().setHeader(name, value);
    return this.#parts.serialize(new Reply(known.status, "json", { error: known.message }), ctx);
  }

  /** The error reply failed too: a hook or a serializer is broken. */
  #giveUp(failure: unknown): Outgoing {
    this.#parts.log.error({ err: failure }, "the error reply could not be made");
    return new Outgoing(500, '{"error":"Internal Server Error"}', "application/json; charset=utf-8");
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (typeof value === "object" && value !== null && "then" in value && typeof value.then === "function")
  );
}
