import type { MiddlewareFunction } from "../request/handler.ts";
import { checkOptions } from "../support/options.ts";

export interface RequestIdOptions {
  /** Takes the client's `X-Request-Id` when it is well-formed. Defaults to true. */
  readonly trust?: boolean;
}

const wellFormed = /^[A-Za-z0-9._:-]{1,128}$/;

/** Identifies each request: by `X-Request-Id` of the request, in the log, and in the response. */
export function requestId(options: RequestIdOptions = {}): MiddlewareFunction {
  checkOptions("requestId()", options, { trust: true });
  const { trust = true } = options;
  return function requestId(ctx, next) {
    const given = trust ? ctx.header("x-request-id") : "";
    if (wellFormed.test(given)) ctx.id = given;
    ctx.onReply(({ headers }) => void headers.setHeader("x-request-id", ctx.id));
    return next();
  };
}
