import { type Context, HttpError, isSameOrigin, type MiddlewareFunction } from "@tenon/core";
import { isForm, redirect } from "@tenon/web";
import { foldEmail } from "../users/users.service.ts";

/** Redirects a login or logout form of an old tab, whose CSRF token has ended, when another tab has already done it. */
export const passStaleForms: MiddlewareFunction = async function passStaleForms(ctx, next) {
  if (ctx.method !== "POST") return next();
  try {
    return await next();
  } catch (error) {
    if (
      !(error instanceof HttpError) ||
      error.status !== 403 ||
      !isSameOrigin(ctx) ||
      !isForm(ctx.header("content-type"))
    )
      throw error;
    const path = await findTarget(ctx);
    if (path === undefined) throw error;
    return redirect(path);
  }
};

/** Where the form would have led to; undefined when its action has not been done yet. */
async function findTarget(ctx: Context): Promise<string | undefined> {
  const path = ctx.route?.path;
  if (path !== "/logout" && path !== "/login" && path !== "/register") return undefined;
  const user = await ctx.get("visitor").user();
  if (path === "/logout") return user === undefined ? "/" : undefined;
  const form = await ctx.request().form();
  const isThisUser = user !== undefined && foldEmail(form.get("email")) === foldEmail(user.email);
  return isThisUser ? form.get("next") || "/my-posts" : undefined;
}
