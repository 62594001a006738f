import { type Context, HttpError, isSameOrigin, type MiddlewareFunction } from "@tenon/core";
import { isForm, redirect } from "@tenon/web";
import { foldEmail } from "../users/users.service.ts";

/** A form of an old tab that asks for what another tab has done already is led on: its token ended with the login before. */
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
    const path = await findPlace(ctx);
    if (path === undefined) throw error;
    return redirect(path);
  }
};

/** Where the form would have led to; undefined when what it asks for is not so. */
async function findPlace(ctx: Context): Promise<string | undefined> {
  const path = ctx.route?.path;
  if (path !== "/logout" && path !== "/login" && path !== "/register") return undefined;
  const user = await ctx.get("visitor").user();
  if (path === "/logout") return user === undefined ? "/" : undefined;
  const form = await ctx.request().form();
  const isThisUser = user !== undefined && foldEmail(form.get("email")) === foldEmail(user.email);
  return isThisUser ? form.get("next") || "/my-posts" : undefined;
}
