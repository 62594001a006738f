import { type Context, explainForeignOrigin } from "@tenon/core";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether a page of another origin made the browser send this, together with the cookie that the browser keeps for us. */
export function isOfForeignPage(ctx: Context, trustedOrigins: readonly string[]): boolean {
  if (safeMethods.has(ctx.method) || trustedOrigins.includes(ctx.header("origin"))) return false;
  const reason = explainForeignOrigin(ctx);
  if (reason !== undefined) ctx.log.info({ event: "csrf refused", reason });
  return reason !== undefined;
}

/** As browsers write it: `https://example.com`, without a path and without a default port. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
