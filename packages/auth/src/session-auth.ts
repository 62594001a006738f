import {
  type Context,
  explainForeignOrigin,
  inject,
  type Middleware,
  type MiddlewareContract,
  type Next,
} from "@tenon/core";
import { Sessions } from "./sessions.ts";
import { AuthSettings } from "./settings.ts";
import { unauthorized } from "./unauthorized.ts";

export const sessionCookie = "session_id";
const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);
const unsafeMethods = ["POST", "PUT", "PATCH", "DELETE"];

/** Requires the cookie of a valid session. Rejects the request with 403 when a page of another origin caused it (CSRF). */
export class SessionAuth implements Middleware {
  readonly contract: MiddlewareContract = {
    security: { session: { type: "apiKey", in: "cookie", name: sessionCookie } },
    errors: { 401: ["Not authenticated", "Invalid session"], 403: "Forbidden" },
  };
  readonly #sessions = inject(Sessions);
  readonly #trustedOrigins = inject(AuthSettings).trustedOrigins;

  async handle(ctx: Context, next: Next) {
    const id = ctx.cookie(sessionCookie);
    if (id === "") return unauthorized(ctx, "Not authenticated");
    if (isFromForeignPage(ctx, this.#trustedOrigins)) return ctx.status(403).json({ error: "Forbidden" });
    const session = await this.#sessions.find(id);
    if (session === undefined) return unauthorized(ctx, "Invalid session");
    ctx.set("user_id", session.user_id);
    if (ctx.isLive) ctx.addLease({ reason: "the session has ended", isValid: () => this.#isActive(id) });
    return next();
  }

  async #isActive(id: string): Promise<boolean> {
    return (await this.#sessions.find(id)) !== undefined;
  }
}

/**
 * Rejects a request with 403 when a page of another origin made the browser send the session cookie. For routes that
 * change a session but do not require one, such as login and logout; `SessionAuth` checks the same.
 */
export class SessionOrigin implements Middleware {
  readonly contract: MiddlewareContract = { errors: { 403: "Forbidden" }, methods: unsafeMethods };
  readonly #trustedOrigins = inject(AuthSettings).trustedOrigins;

  handle(ctx: Context, next: Next) {
    const isForeign = ctx.cookie(sessionCookie) !== "" && isFromForeignPage(ctx, this.#trustedOrigins);
    return isForeign ? ctx.status(403).json({ error: "Forbidden" }) : next();
  }
}

/** Whether a page of another origin made the browser send this request, with the session cookie attached. */
function isFromForeignPage(ctx: Context, trustedOrigins: readonly string[]): boolean {
  if (safeMethods.has(ctx.method) || trustedOrigins.includes(ctx.header("origin"))) return false;
  const reason = explainForeignOrigin(ctx);
  if (reason !== undefined) ctx.log.info({ event: "csrf refused", reason });
  return reason !== undefined;
}
