import { checkWholeNumber } from "../options.ts";
import type { MiddlewareFunction } from "../record.ts";

/** Lets the routes it is put on take a larger or smaller body than the platform's default; past it the answer is 413. */
export function bodyLimit(bytes: number): MiddlewareFunction {
  checkWholeNumber("bodyLimit", bytes, 1);
  return function bodyLimit(ctx, next) {
    ctx.limitBody(bytes);
    return next();
  };
}
