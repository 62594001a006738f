import { type Context, type HttpApp, type Issue, inject, type Platform } from "@tenon/core";
import { accessLog, requestId, secureHeaders } from "@tenon/core/middleware";
import { WebSessions, web } from "@tenon/web";
import { Config } from "../config.ts";
import { CurrentUser } from "./current-user.ts";
import { keepTypedText } from "./keep-typed-text.ts";
import { toMinute } from "./post-view.ts";
import { toShownName, withoutBidiControls } from "./shown-text.ts";
import { passStaleForms } from "./stale-forms.ts";

/** No page has a script, so none may run. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export interface PagesPlatformOptions {
  /** Defaults to true unless NODE_ENV is `production`. */
  readonly development?: boolean;
}

/** HTML over HTTP, with the middlewares of every request. */
export function createPagesPlatform({ development }: PagesPlatformOptions = {}): Platform<HttpApp> {
  return web({
    views: new URL("../../views/", import.meta.url),
    assets: new URL("../../assets/", import.meta.url),
    middlewares: [
      requestId(),
      accessLog(),
      secureHeaders({ "content-security-policy": policy }),
      CurrentUser,
      keepTypedText,
      passStaleForms,
      WebSessions,
    ],
    share,
    trustedProxies: () => inject(Config).trustedProxies,
    ...(development === undefined ? {} : { development }),
  });
}

/** The data of every view. Without the store no user is logged in, so that the error page can still be rendered. */
async function share(ctx: Context): Promise<object> {
  const helpers = { explainIssue, withoutBidiControls, toMinute };
  try {
    const user = await ctx.get("visitor")?.user();
    return { ...helpers, user: user && { ...user, name: toShownName(user.name) } };
  } catch (error) {
    ctx.log.error({ err: error }, "the current user could not be loaded");
    return { ...helpers, user: undefined };
  }
}

/** A whole sentence about a field: `Title is required.` */
function explainIssue(label: string, { rule, message }: Issue): string {
  // "E-mail address must be an e-mail address" would not help
  const words = rule === "email" ? "must look like name@example.com" : message;
  return `${label} ${words}.`;
}
