import type { MiddlewareFunction } from "../request/handler.ts";
import { checkOptions, takes } from "../support/options.ts";

/** Sets the limit for the bodies of its routes, instead of the platform's. A longer body is rejected with 413. */
export function bodyLimit(bytes: number): MiddlewareFunction {
  checkOptions("bodyLimit()", { bytes: bytes ?? Number.NaN }, { bytes: takes.wholeNumber(1) });
  const handle: MiddlewareFunction = function bodyLimit(ctx, next) {
    ctx.limitBody(bytes);
    return next();
  };
  const methods = ["POST", "PUT", "PATCH", "DELETE"];
  return Object.assign(handle, { contract: { errors: { 413: "Payload Too Large" }, methods } });
}
