import type { Context } from "../request/context.ts";

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The methods of routes that a page of another origin must not use with the visitor's cookies. */
export const unsafeMethods = ["POST", "PUT", "PATCH", "DELETE"] as const;

/**
 * The reason why a request would change something on behalf of a page of another origin (CSRF), which is also logged;
 * undefined when it would not.
 */
export function findForgery(ctx: Context, trustedOrigins: readonly string[] = []): string | undefined {
  const reason = safeMethods.has(ctx.method) ? undefined : explainForeignOrigin(ctx, trustedOrigins);
  if (reason !== undefined) ctx.log.info({ event: "csrf refused", reason });
  return reason;
}

/**
 * The reason why a request counts as sent by a page of another origin; undefined when it does not, and for the trusted
 * origins. Browsers send `Sec-Fetch-Site` and `Origin`, which pages cannot forge; other clients need not, and carry no
 * cookies of another user.
 */
export function explainForeignOrigin(ctx: Context, trustedOrigins: readonly string[] = []): string | undefined {
  const origin = ctx.header("origin");
  if (trustedOrigins.includes(origin)) return undefined;
  const site = ctx.header("sec-fetch-site");
  if (site !== "" && site !== "same-origin" && site !== "none") return `Sec-Fetch-Site is ${site}`;
  const host = ctx.request().host();
  if (origin === "" || isOriginOf(origin, host)) return undefined;
  return `Origin is ${origin} and the host is ${host}. Behind a proxy that changes the host, name it in trustedProxies.`;
}

/** Whether the browser states that a page of this site sent the request. No header and `none` state nothing. */
export function isSameOrigin(ctx: Context): boolean {
  const site = ctx.header("sec-fetch-site");
  const isStated = site === "" ? ctx.header("origin") !== "" : site === "same-origin";
  return isStated && explainForeignOrigin(ctx) === undefined;
}

/** Whether a text is an origin as browsers send it: `https://example.com`, without a path and without a default port. */
export function isOrigin(text: unknown): boolean {
  return typeof text === "string" && /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Whether an origin has this host. The scheme does not count: after a proxy the application sees another one than the browser. */
export function isOriginOf(origin: string, host: string): boolean {
  const scheme = /^https?:\/\//.exec(origin)?.[0];
  const own = `${scheme}${host}`; // parsed, because a default port may be there or not
  return scheme !== undefined && URL.canParse(own) && new URL(own).origin === origin;
}
