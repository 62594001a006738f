import { type Context, explainForeignOrigin, HttpError, isSameOrigin, type MiddlewareFunction } from "@tenon/core";
import { isForm, type View, view, wantsJson } from "@tenon/web";
import { readTyped } from "./post.form.ts";

type Typed = Awaited<ReturnType<typeof readTyped>>;

interface SaveAgain {
  readonly action: string;
  /** The name of the hidden field that identifies the form. */
  readonly hidden: "form" | "version";
  /** Where the saved text can be seen. */
  readonly seen: string;
  readonly publish: boolean;
}

/** Bytes. Far more than a post may have: only text that was received can be shown again. */
const maxPostForm = 4 * 1024 * 1024;

/** Shown instead of the error message, whose advice does not fit a user with unsaved text. */
const reasons: ReadonlyMap<number, string> = new Map([
  [401, "You are logged out."],
  [404, "The post is not there any more."],
  [500, "Something broke on our side."],
  [503, "Something broke on our side."],
]);

/**
 * Shows the text of a post again that could not be saved: after a logout, with the token of an earlier login, or while the
 * store is down. The request stays rejected: the author sends the text again, in a form with a token of the current session.
 */
export const keepTypedText: MiddlewareFunction = async function keepTypedText(ctx, next) {
  if (!isPostForm(ctx)) return next();
  ctx.limitBody(maxPostForm);
  try {
    return await next();
  } catch (error) {
    // a text that another site has sent is not the author's, and `none` does not name the site
    const isOwn = explainForeignOrigin(ctx) === undefined && ctx.header("sec-fetch-site") !== "none";
    const typed = isOwn && !wantsJson(ctx) ? await readTyped(ctx).catch(() => undefined) : undefined;
    if (typed === undefined || (typed.title === "" && typed.content === "")) throw error;
    return toUnsaved(ctx, error, typed);
  }
};

function isPostForm({ route }: Context): boolean {
  const name = `${route?.method} ${route?.path}`;
  return name === "POST /posts" || name === "PUT /posts/:id";
}

async function toUnsaved(ctx: Context, error: unknown, { title, content, ...hidden }: Typed): Promise<View> {
  const { status, message, headers } = error instanceof HttpError ? error : new HttpError(500, "");
  if (status >= 500) ctx.log.error({ err: error }, `${ctx.method} ${ctx.path} failed`);
  for (const [name, value] of Object.entries(headers)) ctx.response().setHeader(name, value);
  const hasExpired = status === 403 && message.startsWith("This form has expired");
  const reason = hasExpired ? "This form has expired." : (reasons.get(status) ?? message);
  const again = ctx.method === "PUT" && status !== 404 ? `${ctx.path}/edit` : "/posts/new";
  const save = hasExpired || status === 401 || status >= 500 ? await findSaveAgain(ctx) : undefined;
  return view(
    "writing/unsaved",
    { values: { title, content }, issues: [], ...hidden, reason, again, save },
    { status },
  );
}

/** Where the form can be sent again. The save button requires proof that a page of this site sent the text. */
async function findSaveAgain(ctx: Context): Promise<SaveAgain | undefined> {
  if (!isForm(ctx.header("content-type")) || !isSameOrigin(ctx)) return undefined;
  const publish = (await ctx.request().form()).get("publish") === "true";
  return ctx.method === "PUT"
    ? { action: `${ctx.path}?_method=PUT`, hidden: "version", seen: ctx.path, publish }
    : { action: ctx.path, hidden: "form", seen: "/my-posts", publish };
}
