import type { Context } from "@tenon/core";

/** Whether the browser says that a page of this site has sent the request. Silence is no word. */
export function isSameOrigin(ctx: Context): boolean {
  const site = ctx.header("sec-fetch-site");
  const origin = URL.parse(ctx.header("origin"));
  if (site !== "" && site !== "same-origin") return false;
  return origin === null ? site !== "" : origin.host === ctx.request().host();
}
