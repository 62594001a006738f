import { SafePaths } from "../log/safe-urls.ts";
import type { MiddlewareFunction } from "../request/handler.ts";
import { checkOptions } from "../support/options.ts";

export interface AccessLogOptions {
  /** Defaults to `info`. */
  readonly level?: "info" | "debug";
}

/**
 * Logs one line per request: id, method, path, status and milliseconds. Never the query, headers or body, nor the value
 * of a path parameter that is named like a secret.
 */
export function accessLog(options: AccessLogOptions = {}): MiddlewareFunction {
  checkOptions("accessLog()", options, { level: true });
  const { level = "info" } = options;
  const paths = new SafePaths();
  return function accessLog(ctx, next) {
    const start = performance.now();
    ctx.onReply(({ status }) => {
      const ms = Math.round((performance.now() - start) * 100) / 100;
      ctx.log[level]({ method: ctx.method, path: paths.redact(ctx.path, ctx.route?.path), status, ms }, "request");
    });
    return next();
  };
}
