import { type Context, inject, type Middleware, type Next } from "@tenon/core";
import { Sessions } from "./sessions.ts";
import { unauthorized } from "./unauthorized.ts";

export const sessionCookie = "session_id";

/** Lets a request pass with the cookie of a living session. */
export class SessionAuth implements Middleware {
  readonly #sessions = inject(Sessions);

  async handle(ctx: Context, next: Next) {
    const id = ctx.cookie(sessionCookie);
    if (id === "") return unauthorized(ctx, "Not authenticated");
    const session = await this.#sessions.find(id);
    if (session === undefined) return unauthorized(ctx, "Invalid session");
    ctx.set("user_id", session.user_id);
    return next();
  }
}
