import { limitCaching, sessionCookie } from "@tenon/auth";
import { type Context, HttpError, type Middleware, type Next } from "@tenon/core";
import { redirect, wantsJson } from "@tenon/web";

/** Requires a logged-in user. Others are redirected to the login, and from there back to the page. */
export class RequireLogin implements Middleware {
  readonly contract = {
    sets: ["user_id"],
    security: { session: { type: "apiKey", in: "cookie", name: sessionCookie } },
    errors: { 401: "You are logged out. Log in and try again." },
  } as const;

  async handle(ctx: Context, next: Next) {
    limitCaching(ctx, "Cookie");
    const user = await ctx.get("visitor").user();
    if (user !== undefined) {
      ctx.set("user_id", user.id);
      return next();
    }
    if ((ctx.method === "GET" || ctx.method === "HEAD") && !wantsJson(ctx))
      return redirect(toPathWithNext("/login", toTarget(ctx)));
    // a redirect cannot send a form again
    throw new HttpError(401, this.contract.errors[401]);
  }
}

/** The path with its query, which selects the page of a list. */
function toTarget(ctx: Context): string {
  const query = new URLSearchParams(ctx.request().queries()).toString();
  return query === "" ? ctx.path : `${ctx.path}?${query}`;
}

/** `/login?next=…`: where to redirect after a login. `redirect()` itself accepts only paths of this site. */
export function toPathWithNext(path: string, next: string): string {
  return next === "" ? path : `${path}?next=${encodeURIComponent(next)}`;
}
