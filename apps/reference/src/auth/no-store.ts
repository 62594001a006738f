import type { MiddlewareFunction } from "@tenon/core";

/** What is answered here concerns one caller and carries secrets: no cache keeps it, not even of an error. */
export const noStore: MiddlewareFunction = function noStore(ctx, next) {
  ctx.onReply((outgoing) => {
    outgoing.headers.setHeader("cache-control", "no-store");
  });
  return next();
};
