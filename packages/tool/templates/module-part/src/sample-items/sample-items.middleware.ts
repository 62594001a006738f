import type { Context, Middleware, Next } from "@tenon/core";

/** List it in the middlewares of a route or a group: what is before next() runs before the handler. */
export class SampleItemsMiddleware implements Middleware {
  handle(ctx: Context, next: Next) {
    ctx.log.debug({ path: ctx.path }, "sample items");
    return next();
  }
}
