import { type Context, HttpError, inject, type Middleware, type MiddlewareContract, type Next } from "@tenon/core";
import { findForgery, unsafeMethods } from "@tenon/core/internal";
import { limitCaching } from "./limit-caching.ts";
import { Sessions } from "./sessions.ts";
import { AuthSettings, type FindUser, type FoundUser, sessionCookie } from "./settings.ts";
import { unauthorized } from "./unauthorized.ts";

const foreignOrigin: MiddlewareContract = { errors: { 403: "Forbidden" }, methods: unsafeMethods };

/**
 * Requires the cookie of a valid session, and sets `user_role` where the module has `findUser`. Rejects the request with
 * 403 when a page of another origin caused it (CSRF).
 */
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
  readonly #settings = inject(AuthSettings);

  async handle(ctx: Context, next: Next) {
    limitCaching(ctx, "Cookie");
    const id = ctx.cookie(sessionCookie);
    if (id === "") return unauthorized("Not authenticated");
    if (findForgery(ctx, this.#settings.trustedOrigins) !== undefined) throw new HttpError(403, "Forbidden");
    const session = await this.#sessions.find(id);
    if (session === undefined) return unauthorized("Invalid session");
    const principal = session.user_id;
    const { findUser } = this.#settings;
    const user = await findUser?.(principal);
    if (findUser !== undefined && user === undefined) return unauthorized("Invalid session");
    ctx.set("user_id", principal);
    if (ctx.isLive) ctx.addLease({ reason: "the session has ended", principal, isValid: () => this.#isActive(id) });
    if (findUser !== undefined && user !== undefined) this.#setRole(ctx, principal, user, findUser);
    return next();
  }

  /** From the user's row and not from the session, so that a role that was taken away is gone at once. */
  #setRole(ctx: Context, userId: string, user: FoundUser, findUser: FindUser): void {
    const roleOf = (found: FoundUser | undefined) => found && (found.role ?? "");
    const role = roleOf(user) ?? "";
    ctx.set("user_role", role);
    if (!ctx.isLive) return;
    const isValid = async () => roleOf(await findUser(userId)) === role;
    ctx.addLease({ reason: "the role of the user has changed", isValid });
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
    if (findForgery(ctx, this.#trustedOrigins) !== undefined) throw new HttpError(403, "Forbidden");
    return next();
  }
}
