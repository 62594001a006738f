import { type Context, HttpError, inject, type Middleware, type MiddlewareContract, type Next } from "@tenon/core";
import { RecentLogins } from "./recent-logins.ts";

const message = "Recent login required";

/**
 * Requires a login, or its confirmation, of the last 10 minutes; 403 otherwise. For routes that a stolen session must
 * not use, such as a change of the e-mail address. List it after `SessionAuth` or `BearerAuth`.
 */
export class RecentLogin implements Middleware {
  readonly contract: MiddlewareContract = { errors: { 403: message } };
  readonly #recent = inject(RecentLogins);

  async handle(ctx: Context, next: Next) {
    if (!(await this.#recent.isRecent(ctx))) throw new HttpError(403, message);
    return next();
  }
}
