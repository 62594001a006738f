import { describeValue } from "../errors.ts";
import { checkNames, refuseOption } from "../options.ts";
import type { MiddlewareFunction } from "../record.ts";

export interface AccessLogOptions {
  /** Defaults to `info`. */
  readonly level?: "info" | "debug";
}

/** Logs one line per request: id, method, path, status and milliseconds. Never the query, headers or body. */
export function accessLog(options: AccessLogOptions = {}): MiddlewareFunction {
  checkNames("accessLog()", options, ["level"]);
  const { level = "info" } = options;
  if (level !== "info" && level !== "debug") {
    refuseOption(`accessLog level is ${describeValue(level)}. It takes "info" or "debug".`);
  }
  return function accessLog(ctx, next) {
    const start = performance.now();
    ctx.onReply(({ status }) => {
      const ms = Math.round((performance.now() - start) * 100) / 100;
      ctx.log[level]({ method: ctx.method, path: ctx.path, status, ms }, "request");
    });
    return next();
  };
}
