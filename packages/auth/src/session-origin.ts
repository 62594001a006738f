import { type Context, inject, type Middleware, type Next } from "@tenon/core";
import { isOfForeignPage } from "./foreign-page.ts";
import { sessionCookie } from "./session-auth.ts";
import { AuthSettings } from "./settings.ts";

/**
 * Answers 403 when a page of another origin made the browser send a session's cookie. For routes that change a session
 * and are open without one, such as login and logout; the others have `SessionAuth`, which checks the same.
 */
export class SessionOrigin implements Middleware {
  readonly #trustedOrigins = inject(AuthSettings).trustedOrigins;

  handle(ctx: Context, next: Next) {
    const isForeign = ctx.cookie(sessionCookie) !== "" && isOfForeignPage(ctx, this.#trustedOrigins);
    return isForeign ? ctx.status(403).json({ error: "Forbidden" }) : next();
  }
}
