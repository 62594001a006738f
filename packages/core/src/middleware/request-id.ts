import { checkNames } from "../options.ts";
import type { MiddlewareFunction } from "../record.ts";

export interface RequestIdOptions {
  /** Takes the client's `X-Request-Id` when it is well-formed. True unless told otherwise. */
  readonly trust?: boolean;
}

const wellFormed = /^[A-Za-z0-9._:-]{1,128}$/;

/** Names each request: `X-Request-Id` in, in the log, and out. */
export function requestId(options: RequestIdOptions = {}): MiddlewareFunction {
  checkNames("requestId()", options, ["trust"]);
  const { trust = true } = options;
  return function requestId(ctx, next) {
    const given = trust ? ctx.header("x-request-id") : "";
    if (wellFormed.test(given)) ctx.id = given;
    ctx.onReply((outgoing) => {
      outgoing.headers.setHeader("x-request-id", ctx.id);
    });
    return next();
  };
}
