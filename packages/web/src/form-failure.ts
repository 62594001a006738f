import type { Context, Reply } from "@tenon/core";
import { BindError } from "@tenon/core";
import { isForm } from "@tenon/core/platform";
import { prefersJson } from "./accept.ts";
import type { PageSession } from "./page.ts";

/**
 * A form that could not be bound leads back to the page that it was sent from, with what was typed and what is wrong.
 * Undefined where that is not possible: the caller answers with 400.
 */
export async function toFormFailure(
  error: unknown,
  ctx: Context,
  session: PageSession | undefined,
): Promise<Reply | undefined> {
  if (!(error instanceof BindError) || session === undefined || !isFormOfPage(ctx)) return undefined;
  const back = ownReferer(ctx);
  if (back === undefined) return undefined;
  try {
    const form = await ctx.request().form();
    await session.keepForm(form.toRecord(), error.issues);
    await session.finish(ctx);
  } catch (failure) {
    // the form itself cannot be read, or the session store is away: what was typed is lost either way
    ctx.log.debug({ err: failure }, "the form could not be kept");
    return undefined;
  }
  return ctx.redirect(back, { status: 303 });
}

function isFormOfPage(ctx: Context): boolean {
  if (ctx.method === "GET" || ctx.method === "HEAD") return false;
  return isForm(ctx.header("content-type")) && !prefersJson(ctx.header("accept"));
}

/** Path and query of the page before, if it is one of this host: the header is the client's word. */
function ownReferer(ctx: Context): string | undefined {
  const referer = ctx.header("referer");
  if (!URL.canParse(referer)) return undefined;
  const { host, protocol, pathname, search } = new URL(referer);
  const own = `${protocol}//${ctx.request().host()}`; // parsed, because a default port may be there or not
  if (!URL.canParse(own) || new URL(own).host !== host) return undefined;
  return pathname + search;
}
