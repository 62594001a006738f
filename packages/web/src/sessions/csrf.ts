import { type Context, HttpError, type MiddlewareContract } from "@tenon/core";
import { findForgery, isForm, unsafeMethods } from "@tenon/core/internal";
import type { CsrfTokens } from "./csrf-tokens.ts";
import { Session } from "./session.ts";

/** The name of the form field that carries the token. */
export const csrfField = "_csrf";

const messages = {
  foreign: "This request came from another site.",
  expired: "This form has expired. Go back, reload the page and try again.",
};

/** What the check adds to the routes of an application. */
export const csrfContract: MiddlewareContract = { errors: { 403: Object.values(messages) }, methods: unsafeMethods };

/** Whether a page of another site could make a browser send this request with the cookies of this site. */
export function needsCsrfCheck(ctx: Context): boolean {
  if (!unsafeMethods.some((method) => method === ctx.method)) return false;
  return ctx.header("cookie") !== "" || isForm(ctx.header("content-type"));
}

/** Refuses with 403 a request that did not come from a page of this application. */
export async function checkCsrf(ctx: Context, session: Session, tokens: CsrfTokens): Promise<void> {
  const foreign = findForgery(ctx);
  if (foreign !== undefined) {
    // browsers send such a request without our cookie: a new one in its response would replace the visitor's
    Session.mute(session);
    throw new HttpError(403, messages.foreign, { cause: new Error(foreign) });
  }
  const reason = await explainToken(ctx, Session.idOf(session), tokens);
  if (reason === undefined) return;
  ctx.log.info({ event: "csrf refused", reason });
  throw new HttpError(403, messages.expired, { cause: new Error(reason) });
}

async function explainToken(ctx: Context, id: string | undefined, tokens: CsrfTokens): Promise<string | undefined> {
  if (id === undefined) return "The request has no cookie of a living session.";
  const header = ctx.header("x-csrf-token");
  const isFormSent = isForm(ctx.header("content-type"));
  const token = header !== "" || !isFormSent ? header : (await ctx.request().form()).get(csrfField);
  if (tokens.isFor(id, token)) return undefined;
  if (token !== "") return "The token was made for another session.";
  return isFormSent
    ? "The form has no field _csrf: write <%~ page.csrfField() %> into it."
    : "The request has no header x-csrf-token: it takes what page.csrfToken() gives.";
}
