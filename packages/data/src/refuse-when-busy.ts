import { type Context, inject, type Middleware, type MiddlewareContract, type Next } from "@tenon/core";
import { Database } from "./database/database.ts";
import { storeMessages } from "./store-error.ts";

/**
 * Refuses a request before its handler runs while the queue of the database's pool is full: 503 with `Retry-After`, for less
 * work than building a statement for it takes.
 */
export class RefuseWhenBusy implements Middleware {
  readonly #db = inject(Database);
  readonly contract: MiddlewareContract = { errors: { 503: storeMessages.UNAVAILABLE } };

  handle(_: Context, next: Next) {
    this.#db.refuseIfBusy();
    return next();
  }
}
