import { SessionOrigin, sessionCookie } from "@tenon/auth";
import { type Context, HttpError, inject, type Middleware, type Next } from "@tenon/core";
import { LogoutDTO } from "./auth.dto.ts";

/** Rejects a request of a page of another origin that has a session to end. Logout without one changes nothing. */
export class LogoutOrigin implements Middleware {
  readonly #origin = inject(SessionOrigin);
  readonly contract = this.#origin.contract;

  handle(ctx: Context, next: Next) {
    return ctx.cookie(sessionCookie) === "" ? next() : this.#origin.handle(ctx, next);
  }
}

/** The refresh token to end. Not declared in the contract: a body that cannot be read must not keep the session alive. */
export async function readRefreshToken(ctx: Context): Promise<string | undefined> {
  try {
    return (await ctx.bind(LogoutDTO)).refresh_token;
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}
