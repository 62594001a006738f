import { explainForeignOrigin, HttpError, type MiddlewareFunction } from "@tenon/core";
import type { PageTokens } from "../page-tokens.ts";

/** The name of the form field that carries the token. */
export const tokenField = "_token";

const safeMethods = new Set(["GET", "HEAD"]);

/**
 * Refuses requests that a page of another site, or of another port of this machine, makes a browser send: what changes
 * something needs the token of its form, and only a link may lead to a page.
 */
export function guardRequests(tokens: PageTokens): MiddlewareFunction {
  return async function guardRequests(ctx, next) {
    ctx.onReply(({ headers }) => headers.setHeader("cache-control", "no-store"));
    if (safeMethods.has(ctx.method)) {
      const site = ctx.header("sec-fetch-site");
      const isForeign = site === "cross-site" || site === "same-site";
      const isLink = ctx.header("sec-fetch-mode") === "navigate" && ctx.header("sec-fetch-dest") === "document";
      if (isForeign && !isLink) throw new HttpError(403, "This request came from another site.");
      return next();
    }
    if (explainForeignOrigin(ctx) !== undefined) throw new HttpError(403, "This request came from another site.");
    const token = (await ctx.request().form()).get(tokenField);
    if (!tokens.isFor(ctx.path, token)) {
      throw new HttpError(403, "This page is from before the last restart. Reload it and try again.");
    }
    return next();
  };
}
