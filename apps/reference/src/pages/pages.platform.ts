import type { Context, HttpMethods, Platform } from "@tenon/core";
import { accessLog, requestId } from "@tenon/core/middleware";
import { pageHeaders, WebSessions, web } from "@tenon/core/web";
import { CurrentUser } from "./current-user.ts";
import { explainIssue } from "./explain-issue.ts";
import { keepTypedText } from "./keep-typed-text.ts";

/** There is no script on any page: none may run. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** HTML over HTTP, with what every request passes through. */
export function createPagesPlatform(options: { readonly development?: boolean } = {}): Platform<HttpMethods> {
  return web({
    views: new URL("../../views/", import.meta.url),
    assets: new URL("../../assets/", import.meta.url),
    middlewares: [
      requestId(),
      accessLog(),
      pageHeaders({ "content-security-policy": policy }),
      CurrentUser,
      keepTypedText,
      WebSessions,
    ],
    share,
    ...options,
  });
}

/** What every view knows. Without the store nobody is logged in, and the page that says so can still be shown. */
async function share(ctx: Context): Promise<object> {
  try {
    return { explainIssue, user: await ctx.get("visitor")?.user() };
  } catch (error) {
    ctx.log.error({ err: error }, "nobody could say who is logged in");
    return { explainIssue, user: undefined };
  }
}
