import type { Context } from "../context.ts";

/**
 * The reason why a request counts as sent by a page of another origin; undefined when it does not. Browsers send
 * `Sec-Fetch-Site` and `Origin`, which pages cannot forge; other clients need not, and carry no cookies of another user.
 */
export function explainForeignOrigin(ctx: Context): string | undefined {
  const site = ctx.header("sec-fetch-site");
  if (site !== "" && site !== "same-origin" && site !== "none") return `Sec-Fetch-Site is ${site}`;
  const origin = ctx.header("origin");
  const host = ctx.request().host();
  if (origin === "" || isOriginOf(origin, host)) return undefined;
  return `Origin is ${origin} and the host is ${host}. Behind a proxy that changes the host, name it in trustedProxies.`;
}

/** Whether the browser states that a page of this site sent the request. No header is no statement, and `none` is none. */
export function isSameOrigin(ctx: Context): boolean {
  const site = ctx.header("sec-fetch-site");
  const isStated = site === "" ? ctx.header("origin") !== "" : site === "same-origin";
  return isStated && explainForeignOrigin(ctx) === undefined;
}

/** Whether an origin has this host. The scheme does not count: after a proxy the application sees another one than the browser. */
export function isOriginOf(origin: string, host: string): boolean {
  const scheme = /^https?:\/\//.exec(origin)?.[0];
  const own = `${scheme}${host}`; // parsed, because a default port may be there or not
  return scheme !== undefined && URL.canParse(own) && new URL(own).origin === origin;
}
