import { Clock } from "@tenon/auth";
import { BindError, boolean, type Context, dto, endpoint, group, HttpError, inject, routes, string } from "@tenon/core";
import { redirect, view, wantsJson } from "@tenon/web";
import { noStore } from "../auth/no-store.ts";
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

/** Deleted since `OwnPost` loaded it. */
const missing = { 404: "Post not found" } as const;

/** The pages of an author. */
export class WritingPages {
  readonly #posts = inject(PostsService);
  readonly #publication = inject(Publication);
  readonly #clock = inject(Clock);

  routes() {
    return routes([
      group(
        "/",
        [
          { method: "GET", path: "/my-posts", handler: this.mine },
          { method: "GET", path: "/posts/new", handler: this.write },
          { method: "POST", path: "/posts", handler: this.create },
          group(
            "/posts/:id",
            [
              { method: "GET", path: "/edit", handler: this.edit },
              { method: "PUT", path: "/", handler: this.update },
              { method: "PATCH", path: "/", handler: this.publish },
              { method: "PUT", path: "/publication", handler: this.publishLater },
              { method: "DELETE", path: "/publication", handler: this.keepDraft },
              { method: "GET", path: "/delete", handler: this.confirm },
              { method: "DELETE", path: "/", handler: this.delete },
            ],
            { middlewares: [OwnPost] },
          ),
        ],
        { middlewares: [noStore, RequireLogin] },
      ),
    ]);
  }

  readonly mine = endpoint({ summary: "The user's own posts", query: PageQuery }, async (ctx, { query }) => {
    const request = toPageRequest(query);
    const page = await this.#posts.ofAuthor(ctx.get("user_id"), request);
    if (isPastTheTop(page, request)) return redirect("/my-posts");
    const author = await ctx.get("visitor").user();
    const posts = page.items.map((post) => toSummary(author === undefined ? post : { ...post, author }));
    return { posts, ...toPageLinks("/my-posts", page, request) };
  });

  readonly write = endpoint({ summary: "A form for a new post" }, () => ({
    ...emptyPost,
    form: this.#clock.uuid(),
  }));

  /** Reads its form itself, as `update` does: a declared body would redirect, and the text would have to fit into a session. */
  readonly create = endpoint({ summary: "Create a post" }, async (ctx) => {
    const typed = await readPostForm(ctx);
    if (typed.issues.length > 0) return showAgain(ctx, "writing/write", typed);
    const [author, form] = [ctx.get("user_id"), typed.form || this.#clock.uuid()];
    const post = await this.#posts.createOnce(toPostId(author, form, typed.values), author, typed.values);
    if (typed.publish && !post.published) await this.#posts.patch(post.id, { published: true });
    return done(ctx, pathOf(post), typed.publish ? "Your post is published." : "Your draft is saved.");
  });

  readonly edit = endpoint({ summary: "A form to change a post" }, (ctx) => {
    const post = ctx.get("post");
    const { title, content, updated_at: version } = post;
    return toEdit(post, { ...emptyPost, values: { title, content }, version });
  });

  /** Errors are thrown: `keepTypedText` catches them. */
  readonly update = endpoint(
    {
      summary: "Change a post",
      errors: { ...missing, 409: "This post was saved in another window since you opened it." },
    },
    async (ctx) => {
      const post = ctx.get("post");
      const typed = await readPostForm(ctx);
      if (typed.issues.length > 0) return showAgain(ctx, "writing/edit", toEdit(post, typed));
      const changes = { ...typed.values, ...(typed.publish ? { published: true } : {}) };
      const saved = await this.#posts.patch(post.id, changes, typed.version || undefined);
      if (saved === undefined) return ctx.fail((await this.#posts.find(post.id)) === undefined ? 404 : 409);
      return done(ctx, pathOf(post), typed.publish ? "Your post is published." : "Your changes are saved.");
    },
  );

  readonly publish = endpoint(
    { summary: "Publish a post, or make it a draft again", body: PublishForm, errors: missing },
    async (ctx, { body: { published, back = "" } }) => {
      const post = await this.#posts.patch(ctx.get("post").id, { published });
      if (post === undefined) return ctx.fail(404);
      await this.#publication.cancel(post.id);
      return done(ctx, back || pathOf(post), published ? "Your post is published." : "Your post is a draft again.");
    },
  );

  readonly publishLater = endpoint(
    { summary: "Publish a post at a time in the future", body: PublicationForm },
    async (ctx, { body: { at } }) => {
      const time = parsePublicationTime(at, this.#clock.now());
      if (time === undefined) {
        throw new BindError([{ path: "at", rule: "future", message: "is no time in the future" }]);
      }
      const post = ctx.get("post");
      await this.#publication.schedule(post.id, time);
      return done(ctx, pathOf(post), "Your post will be published.");
    },
  );

  readonly keepDraft = endpoint({ summary: "Do not publish a post at its time" }, async (ctx) => {
    const post = ctx.get("post");
    await this.#publication.cancel(post.id);
    return done(ctx, pathOf(post), "Your post stays a draft.");
  });

  readonly confirm = endpoint({ summary: "Asks before a post is deleted" }, (ctx) => ({
    post: toSummary(ctx.get("post")),
  }));

  readonly delete = endpoint({ summary: "Delete a post" }, async (ctx) => {
    const { id } = ctx.get("post");
    await this.#posts.delete(id);
    await this.#publication.cancel(id);
    return done(ctx, "/my-posts", "Your post is deleted.");
  });
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
