import type { Context } from "@tenon/core";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether a page of another origin made the browser send this, together with the cookie that the browser keeps for us.
 * Browsers say so in headers that pages cannot forge; other clients have no cookies of somebody else to abuse.
 */
export function isOfForeignPage(ctx: Context, trustedOrigins: readonly string[]): boolean {
  if (safeMethods.has(ctx.method)) return false;
  const origin = ctx.header("origin");
  if (trustedOrigins.includes(origin)) return false;
  const site = ctx.header("sec-fetch-site");
  if (site !== "") return site !== "same-origin" && site !== "none";
  return origin !== "" && !isOriginOf(origin, ctx.request().host());
}

/** The scheme does not count: behind a proxy the application sees another one than the browser. */
function isOriginOf(origin: string, host: string): boolean {
  const scheme = /^https?:\/\//.exec(origin)?.[0];
  if (scheme === undefined || !isOrigin(origin)) return false;
  const own = `${scheme}${host}`; // parsed, because a default port may be there or not
  return URL.canParse(own) && new URL(own).origin === origin;
}

/** As browsers write it: `https://example.com`, without a path and without a default port. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
