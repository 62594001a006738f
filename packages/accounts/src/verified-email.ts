import { type Context, HttpError, inject, type Middleware, type MiddlewareContract, type Next } from "@tenon/core";
import { Accounts } from "./accounts.ts";

const message = "E-mail address not verified";

/** Requires that the user has verified the current address. List it after `SessionAuth` or `BearerAuth`. */
export class VerifiedEmail implements Middleware {
  readonly contract: MiddlewareContract = { errors: { 403: message } };
  readonly #accounts = inject(Accounts);

  async handle(ctx: Context, next: Next) {
    if (!(await this.#accounts.isVerified(ctx.get("user_id")))) throw new HttpError(403, message);
    return next();
  }
}
