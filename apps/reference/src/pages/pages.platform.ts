import type { Context, HttpMethods, Platform } from "@tenon/core";
import { accessLog, requestId } from "@tenon/core/middleware";
import { pageHeaders, WebSessions, web } from "@tenon/web";
import { CurrentUser } from "./current-user.ts";
import { explainIssue } from "./explain-issue.ts";
import { keepTypedText } from "./keep-typed-text.ts";
import { toShownName, withoutBidiControls } from "./shown-text.ts";
import { passStaleForms } from "./stale-forms.ts";

/** There is no script on any page: none may run. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export interface PagesPlatformOptions {
  /** True unless NODE_ENV is `production`. */
  readonly development?: boolean;
  readonly trustedProxies?: readonly string[];
}

/** HTML over HTTP, with what every request passes through. */
export function createPagesPlatform({
  development,
  trustedProxies = [],
}: PagesPlatformOptions = {}): Platform<HttpMethods> {
  return web({
    views: new URL("../../views/", import.meta.url),
    assets: new URL("../../assets/", import.meta.url),
    middlewares: [
      requestId(),
      accessLog(),
      pageHeaders({ "content-security-policy": policy }),
      CurrentUser,
      keepTypedText,
      passStaleForms,
      WebSessions,
    ],
    share,
    trustedProxies,
    ...(development === undefined ? {} : { development }),
  });
}

/** What every view knows. Without the store nobody is logged in, and the page that says so can still be shown. */
async function share(ctx: Context): Promise<object> {
  const helpers = { explainIssue, withoutBidiControls };
  try {
    const user = await ctx.get("visitor")?.user();
    return { ...helpers, user: user && { ...user, name: toShownName(user.name) } };
  } catch (error) {
    ctx.log.error({ err: error }, "nobody could say who is logged in");
    return { ...helpers, user: undefined };
  }
}
