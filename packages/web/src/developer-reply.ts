import { type Context, type ErrorFormat, Reply } from "@tenon/core";
import { addVary, formatError, toHttpError } from "@tenon/core/internal";
import { toDeveloperPage } from "./errors/developer-page.ts";
import { type ReportSources, toFailureReport } from "./errors/failure-report.ts";
import { addSummary } from "./errors/failure-summary.ts";
import { developerPagePolicy } from "./html.ts";
import { prefersJson } from "./pages.ts";

/**
 * Why a request failed, for its developer, on a platform without views: the error page for browsers, and for other clients
 * JSON in the format of the application. Check first that it is the developer who asks.
 */
export async function toDeveloperReply(
  error: unknown,
  ctx: Context,
  sources: ReportSources & { readonly format: ErrorFormat },
): Promise<Reply> {
  const failure = toHttpError(error);
  const { status, message } = failure;
  const report = await toFailureReport({ status, message, error }, ctx, sources);
  const headers = ctx.response();
  for (const [name, value] of Object.entries(failure.headers)) headers.setHeader(name, value);
  addVary(headers, "Accept");
  const accept = ctx.header("accept");
  if (/\btext\/html\b/i.test(accept) && !prefersJson(accept)) {
    headers
      .setHeader("content-security-policy", developerPagePolicy)
      .setHeader("content-type", "text/html; charset=utf-8");
    return new Reply(status, "text", toDeveloperPage(report));
  }
  const { body, type } = formatError(failure, sources.format);
  headers.setHeader("content-type", type);
  return new Reply(status, "json", addSummary(body, report, ctx));
}
