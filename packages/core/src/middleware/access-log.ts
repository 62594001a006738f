import type { MiddlewareFunction } from "../pipeline/middleware.ts";

/** One line a request: id, method, path, status and milliseconds. Never the query, headers or body. */
export function accessLog(): MiddlewareFunction {
  return function accessLog(ctx, next) {
    const start = performance.now();
    ctx.onReply((outgoing) => {
      ctx.log.info(
        {
          method: ctx.method,
          path: ctx.path,
          status: outgoing.status,
          ms: Math.round((performance.now() - start) * 100) / 100,
        },
        "request",
      );
    });
    return next();
  };
}
