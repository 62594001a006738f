import { SessionAuth } from "@tenon/auth";
import { type Context, HttpError, inject, type Middleware, type Next } from "@tenon/core";
import { redirect, wantsJson } from "@tenon/web";

/** The guard of pages: `SessionAuth`, but a browser that opens a page is redirected to the login and from there back. */
export class RequireLogin implements Middleware {
  readonly #auth = inject(SessionAuth);
  readonly contract = this.#auth.contract;

  async handle(ctx: Context, next: Next) {
    let isLoggedIn = false;
    try {
      return await this.#auth.handle(ctx, () => {
        isLoggedIn = true;
        return next();
      });
    } catch (error) {
      const isRefused = !isLoggedIn && error instanceof HttpError && error.status === 401;
      if (!isRefused || ctx.method !== "GET" || wantsJson(ctx)) throw error; // a redirect cannot send a form again
      return redirect(`/login?next=${encodeURIComponent(ctx.path)}`);
    }
  }
}
