import { type Context, explainForeignOrigin } from "@tenon/core";

/** Whether the browser says that a page of this site has sent the request. Silence is no word, and neither is `none`. */
export function isSameOrigin(ctx: Context): boolean {
  const site = ctx.header("sec-fetch-site");
  const isTold = site === "" ? ctx.header("origin") !== "" : site === "same-origin";
  return isTold && explainForeignOrigin(ctx) === undefined;
}
