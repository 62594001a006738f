import { type Context, inject, type Middleware, type Next } from "@tenon/core";
import { isOfForeignPage } from "./foreign-page.ts";
import { Sessions } from "./sessions.ts";
import { AuthSettings } from "./settings.ts";
import { unauthorized } from "./unauthorized.ts";

export const sessionCookie = "session_id";

/** Lets a request pass with the cookie of a living session, unless a page of another origin made the browser send it. */
export class SessionAuth implements Middleware {
  readonly #sessions = inject(Sessions);
  readonly #trustedOrigins = inject(AuthSettings).trustedOrigins;

  async handle(ctx: Context, next: Next) {
    const id = ctx.cookie(sessionCookie);
    if (id === "") return unauthorized(ctx, "Not authenticated");
    if (isOfForeignPage(ctx, this.#trustedOrigins)) return ctx.status(403).json({ error: "Forbidden" });
    const session = await this.#sessions.find(id);
    if (session === undefined) return unauthorized(ctx, "Invalid session");
    ctx.set("user_id", session.user_id);
    return next();
  }
}
