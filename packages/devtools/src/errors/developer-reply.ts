import { type Context, type ErrorFormat, Reply } from "@tenon/core";
import { addVary, formatError, toHttpError } from "@tenon/core/internal";
import { wantsJson } from "@tenon/web";
import type { ReportSources } from "./error-report.ts";
import { Explanation } from "./explanation.ts";

/**
 * Why a request failed, for its developer, on a platform without views: the error page for browsers, and for other clients
 * JSON in the format of the application.
 */
export async function toDeveloperReply(
  error: unknown,
  ctx: Context,
  format: ErrorFormat,
  sources: ReportSources,
): Promise<Reply> {
  const httpError = toHttpError(error);
  const { status, message } = httpError;
  const explanation = new Explanation({ status, message, error }, ctx, sources);
  const headers = ctx.response();
  for (const [name, value] of Object.entries(httpError.headers)) headers.setHeader(name, value);
  addVary(headers, "Accept");
  if (/\btext\/html\b/i.test(ctx.header("accept")) && !wantsJson(ctx)) {
    const { html, policy } = await explanation.toPage();
    headers.setHeader("content-security-policy", policy).setHeader("content-type", "text/html; charset=utf-8");
    return new Reply(status, "text", html);
  }
  const { body, type } = formatError(httpError, format);
  headers.setHeader("content-type", type);
  return new Reply(status, "json", await explanation.addTo(body));
}
