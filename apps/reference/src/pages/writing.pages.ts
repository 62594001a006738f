import { randomUUID } from "node:crypto";
import { loaded } from "@tenon/auth";
import { BindError, boolean, Clock, type Context, dto, HttpError, inject, route, string } from "@tenon/core";
import { KeyValue } from "@tenon/data";
import { redirect, view, wantsJson } from "@tenon/web";
import type { Post } from "../posts/post.ts";
import { PostsService } from "../posts/posts.service.ts";
import { Publication, parsePublicationTime } from "../posts/publication.ts";
import { OwnPost } from "./own-post.ts";
import { isPastTheTop, PageQuery, toPageLinks, toPageRequest } from "./page-links.ts";
import { emptyPost, readPostForm, type TypedPost } from "./post.form.ts";
import { toPostId } from "./post-id.ts";
import { toSummary } from "./post-view.ts";
import { RequireLogin } from "./require-login.ts";

const PublishForm = dto({ published: boolean("required"), back: string() });
const PublicationForm = dto({ at: string("required") });

/** Seconds for which a form that has created a post is remembered, so that it does not create the post again. */
const rememberedForm = 30 * 86_400;

/** Deleted since `OwnPost` loaded it. */
const missing = { 404: "Post not found" } as const;

/** The pages of an author. */
export class WritingPages {
  readonly #posts = inject(PostsService);
  readonly #publication = inject(Publication);
  readonly #keyValue = inject(KeyValue);
  readonly #clock = inject(Clock);

  readonly mine = route.get(
    "/my-posts",
    { middlewares: [RequireLogin], summary: "The user's own posts", query: PageQuery },
    async (ctx, { query }) => {
      const page = await this.#posts.ofAuthor(ctx.get("user_id"), toPageRequest(query));
      if (isPastTheTop(page, query)) return redirect("/my-posts");
      const author = await ctx.get("visitor").user();
      const posts = page.items.map((post) => toSummary(author === undefined ? post : { ...post, author }));
      return { posts, ...toPageLinks("/my-posts", page, query) };
    },
  );

  readonly write = route.get("/posts/new", { middlewares: [RequireLogin], summary: "A form for a new post" }, () => ({
    ...emptyPost,
    form: randomUUID(),
  }));

  /** Reads its form itself, as `update` does: a declared body would redirect, and the text would have to fit into a session. */
  readonly create = route.post(
    "/posts",
    {
      middlewares: [RequireLogin],
      summary: "Create a post",
      errors: { 410: "You have deleted this post since you sent the form." },
    },
    async (ctx) => {
      const typed = await readPostForm(ctx);
      if (typed.issues.length > 0) return showAgain(ctx, "writing/write", typed);
      const author = ctx.get("user_id");
      const id = toPostId(author, typed.form || randomUUID(), typed.values);
      const mark = `post-form:${id}`;
      const wasSent = (await this.#keyValue.get(mark)) !== undefined;
      if (wasSent && (await this.#posts.find(id)) === undefined) return ctx.fail(410);
      const post = await this.#posts.createOnce(id, author, typed.values);
      if (!wasSent && typed.form !== "") await this.#keyValue.set(mark, true, { ttl: rememberedForm });
      if (typed.publish && !post.published) await this.#posts.patch(post.id, { published: true });
      return done(ctx, pathOf(post), typed.publish ? "Your post is published." : "Your draft is saved.");
    },
  );

  readonly edit = route.get(
    "/posts/:id/edit",
    { middlewares: [RequireLogin, OwnPost], summary: "A form to change a post" },
    (ctx) => {
      const post = loaded(ctx, OwnPost);
      const { title, content, updated_at: version } = post;
      return toEdit(post, { ...emptyPost, values: { title, content }, version });
    },
  );

  /** Errors are thrown: `keepTypedText` catches them. */
  readonly update = route.put(
    "/posts/:id",
    {
      middlewares: [RequireLogin, OwnPost],
      summary: "Change a post",
      errors: { ...missing, 409: "This post was saved in another window since you opened it." },
    },
    async (ctx) => {
      const post = loaded(ctx, OwnPost);
      const typed = await readPostForm(ctx);
      if (typed.issues.length > 0) return showAgain(ctx, "writing/edit", toEdit(post, typed));
      const changes = { ...typed.values, ...(typed.publish ? { published: true } : {}) };
      const saved = await this.#posts.patch(post.id, changes, typed.version || undefined);
      if (saved === undefined) return ctx.fail((await this.#posts.find(post.id)) === undefined ? 404 : 409);
      return done(ctx, pathOf(post), typed.publish ? "Your post is published." : "Your changes are saved.");
    },
  );

  readonly publish = route.patch(
    "/posts/:id",
    {
      middlewares: [RequireLogin, OwnPost],
      summary: "Publish a post, or make it a draft again",
      body: PublishForm,
      errors: missing,
    },
    async (ctx, { body: { published, back = "" } }) => {
      const post = await this.#posts.patch(loaded(ctx, OwnPost).id, { published });
      if (post === undefined) return ctx.fail(404);
      await this.#publication.cancel(post.id);
      return done(ctx, back || pathOf(post), published ? "Your post is published." : "Your post is a draft again.");
    },
  );

  readonly publishLater = route.put(
    "/posts/:id/publication",
    { middlewares: [RequireLogin, OwnPost], summary: "Publish a post at a time in the future", body: PublicationForm },
    async (ctx, { body: { at } }) => {
      const time = parsePublicationTime(at, this.#clock.now());
      if (time === undefined) {
        throw new BindError([{ path: "at", rule: "future", message: "must be in the future" }]);
      }
      const post = loaded(ctx, OwnPost);
      await this.#publication.schedule(post.id, time);
      return done(ctx, pathOf(post), "Your post will be published.");
    },
  );

  readonly keepDraft = route.delete(
    "/posts/:id/publication",
    { middlewares: [RequireLogin, OwnPost], summary: "Do not publish a post at its time" },
    async (ctx) => {
      const post = loaded(ctx, OwnPost);
      await this.#publication.cancel(post.id);
      return done(ctx, pathOf(post), "Your post stays a draft.");
    },
  );

  readonly confirm = route.get(
    "/posts/:id/delete",
    { middlewares: [RequireLogin, OwnPost], summary: "Asks before a post is deleted" },
    (ctx) => ({
      post: toSummary(loaded(ctx, OwnPost)),
    }),
  );

  readonly delete = route.delete(
    "/posts/:id",
    { middlewares: [RequireLogin, OwnPost], summary: "Delete a post" },
    async (ctx) => {
      const { id } = loaded(ctx, OwnPost);
      await this.#posts.delete(id);
      await this.#publication.cancel(id);
      return done(ctx, "/my-posts", "Your post is deleted.");
    },
  );

  routes() {
    return [
      this.mine,
      this.write,
      this.create,
      this.edit,
      this.update,
      this.publish,
      this.publishLater,
      this.keepDraft,
      this.confirm,
      this.delete,
    ];
  }
}

async function done(ctx: Context, path: string, message: string) {
  await ctx.get("session").flash("done", message);
  return redirect(path);
}

/** Shows the form again with its issues; JSON clients have no form to show again. */
function showAgain(ctx: Context, form: string, data: TypedPost) {
  if (wantsJson(ctx)) throw new HttpError(422, "Invalid request");
  return view(form, data, { status: 422 });
}

function toEdit({ id, published }: Post, typed: TypedPost) {
  return { id, published, ...typed };
}

function pathOf({ id }: Post): string {
  return `/posts/${id}`;
}
