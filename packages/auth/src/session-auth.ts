import { type Context, inject, type Middleware, type MiddlewareContract, type Next } from "@tenon/core";
import { findForgery, unsafeMethods } from "@tenon/core/internal";
import { limitCaching } from "./limit-caching.ts";
import { Sessions } from "./sessions.ts";
import { AuthSettings } from "./settings.ts";
import { unauthorized } from "./unauthorized.ts";

export const sessionCookie = "session_id";
const foreignOrigin: MiddlewareContract = { errors: { 403: "Forbidden" }, methods: unsafeMethods };

/** Requires the cookie of a valid session. Rejects the request with 403 when a page of another origin caused it (CSRF). */
export class SessionAuth implements Middleware {
  readonly contract: readonly [MiddlewareContract<"user_id">, MiddlewareContract] = [
    {
      sets: ["user_id"],
      security: { session: { type: "apiKey", in: "cookie", name: sessionCookie } },
      errors: { 401: ["Not authenticated", "Invalid session"] },
    },
    foreignOrigin,
  ];
  readonly #sessions = inject(Sessions);
  readonly #trustedOrigins = inject(AuthSettings).trustedOrigins;

  async handle(ctx: Context, next: Next) {
    limitCaching(ctx, "Cookie");
    const id = ctx.cookie(sessionCookie);
    if (id === "") return unauthorized(ctx, "Not authenticated");
    if (findForgery(ctx, this.#trustedOrigins) !== undefined) return ctx.status(403).json({ error: "Forbidden" });
    const session = await this.#sessions.find(id);
    if (session === undefined) return unauthorized(ctx, "Invalid session");
    ctx.set("user_id", session.user_id);
    if (ctx.isLive) {
      const principal = session.user_id;
      ctx.addLease({ reason: "the session has ended", principal, isValid: () => this.#isActive(id) });
    }
    return next();
  }

  async #isActive(id: string): Promise<boolean> {
    return (await this.#sessions.find(id)) !== undefined;
  }
}

/**
 * Rejects a request with 403 when a page of another origin caused it, with or without the session cookie. For routes
 * that set the cookie, such as login and logout: another site could log a visitor in as somebody else (login CSRF).
 */
export class SessionOrigin implements Middleware {
  readonly contract = foreignOrigin;
  readonly #trustedOrigins = inject(AuthSettings).trustedOrigins;

  handle(ctx: Context, next: Next) {
    limitCaching(ctx, "Cookie");
    return findForgery(ctx, this.#trustedOrigins) === undefined ? next() : ctx.status(403).json({ error: "Forbidden" });
  }
}
