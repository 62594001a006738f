import { SessionAuth } from "@tenon/auth";
import { type Context, inject, type Middleware, type Next } from "@tenon/core";
import { redirect, wantsJson } from "@tenon/web";

/** The guard of pages: `SessionAuth`, but a browser that opens a page is redirected to the login and from there back. */
export class RequireLogin implements Middleware {
  readonly #auth = inject(SessionAuth);
  readonly contract = this.#auth.contract;

  async handle(ctx: Context, next: Next) {
    let isLoggedIn = false;
    const reply = await this.#auth.handle(ctx, () => {
      isLoggedIn = true;
      return next();
    });
    if (isLoggedIn || ctx.method !== "GET" || wantsJson(ctx)) return reply; // a redirect cannot send a form again
    return redirect(`/login?next=${encodeURIComponent(ctx.path)}`);
  }
}
