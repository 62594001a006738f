import { type Context, HttpError, type Middleware, type Next } from "@tenon/core";
import { redirect, wantsJson } from "@tenon/web";
import { toLoginPath } from "./next-path.ts";

/** Lets only those pass who are logged in; others log in first, and come back to the page they wanted. */
export class RequireLogin implements Middleware {
  async handle(ctx: Context, next: Next) {
    const user = await ctx.get("visitor").user();
    if (user !== undefined) {
      ctx.set("user_id", user.id);
      return next();
    }
    if ((ctx.method === "GET" || ctx.method === "HEAD") && !wantsJson(ctx)) return redirect(toLoginPath(placeOf(ctx)));
    // a form cannot be sent again by a redirect
    throw new HttpError(401, "You are logged out. Log in and try again.");
  }
}

/** With its query: a page of a list is another place than the list. */
function placeOf(ctx: Context): string {
  const query = new URLSearchParams(ctx.request().queries()).toString();
  return query === "" ? ctx.path : `${ctx.path}?${query}`;
}
