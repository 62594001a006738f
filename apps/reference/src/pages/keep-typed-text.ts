import { type Context, HttpError, type MiddlewareFunction } from "@tenon/core";
import { type View, view, wantsJson } from "@tenon/core/web";
import { readTyped, type TypedTexts } from "./post.form.ts";

/** Bytes. Far more than a post may hold: only what has arrived can be handed back. */
const maxPostForm = 4 * 1024 * 1024;

/** What is said instead of the message, whose advice is for those who have nothing to lose. */
const reasons: ReadonlyMap<number, string> = new Map([
  [401, "You are logged out."],
  [404, "The post is not there any more."],
  [500, "Something broke on our side."],
  [503, "Something broke on our side."],
]);

/** Hands a post back that could not be saved: after a logout, with the token of an earlier login, without the store. */
export const keepTypedText: MiddlewareFunction = async function keepTypedText(ctx, next) {
  if (!isPostForm(ctx)) return next();
  ctx.limitBody(maxPostForm);
  try {
    return await next();
  } catch (error) {
    const typed = isOwnForm(ctx) && !wantsJson(ctx) ? await readTyped(ctx).catch(() => undefined) : undefined;
    if (typed === undefined || (typed.title === "" && typed.content === "")) throw error;
    // a session that cannot be read is asked here: once it has failed, the page is shown without it
    await ctx
      .get("session")
      ?.takePage()
      .catch(() => {});
    return toUnsaved(ctx, error, typed);
  }
};

function isPostForm({ route }: Context): boolean {
  const name = `${route?.method} ${route?.path}`;
  return name === "POST /posts" || name === "PUT /posts/:id";
}

/** What another site has written is nobody's text. */
function isOwnForm(ctx: Context): boolean {
  const site = ctx.header("sec-fetch-site");
  return site === "" || site === "same-origin";
}

function toUnsaved(ctx: Context, error: unknown, typed: TypedTexts): View {
  const { status, message, headers } = error instanceof HttpError ? error : new HttpError(500, "");
  if (status >= 500) ctx.log.error({ err: error }, `${ctx.method} ${ctx.path} failed`);
  for (const [name, value] of Object.entries(headers)) ctx.response().setHeader(name, value);
  const isTooLate = status === 403 && message.startsWith("This form has expired");
  const reason = isTooLate ? "This form has expired." : (reasons.get(status) ?? message);
  const again = ctx.method === "PUT" && status !== 404 ? `${ctx.path}/edit` : "/posts/new";
  return view("writing/unsaved", { title: typed.title, content: typed.content, reason, again }, { status });
}
