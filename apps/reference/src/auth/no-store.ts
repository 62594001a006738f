import type { MiddlewareFunction } from "@tenon/core";

/** Responses of these routes hold secrets of one caller: no cache may store them, errors included. */
export const noStore: MiddlewareFunction = function noStore(ctx, next) {
  ctx.onReply((outgoing) => {
    outgoing.headers.setHeader("cache-control", "no-store");
  });
  return next();
};
