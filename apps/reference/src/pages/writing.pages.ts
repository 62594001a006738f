import { Clock } from "@tenon/auth";
import { boolean, type Context, dto, group, HttpError, inject, routes, string } from "@tenon/core";
import { redirect, view, wantsJson } from "@tenon/web";
import { noStore } from "../auth/no-store.ts";
import type { Post } from "../posts/post.ts";
import { PostsService } from "../posts/posts.service.ts";
import { OwnPost } from "./own-post.ts";
import { isPastTheTop, readPageRequest, toPageLinks } from "./page-links.ts";
import { emptyPost, readPostForm, type TypedPost } from "./post.form.ts";
import { toPostId } from "./post-id.ts";
import { toSummary } from "./post-view.ts";
import { RequireLogin } from "./require-login.ts";

const PublishForm = dto({ published: boolean("required"), back: string() });

/** The pages of an author. */
export class WritingPages {
  readonly #posts = inject(PostsService);
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

  async mine(ctx: Context) {
    const request = readPageRequest(ctx);
    const page = await this.#posts.ofAuthor(ctx.get("user_id"), request);
    if (isPastTheTop(page, request)) return redirect("/my-posts");
    const author = await ctx.get("visitor").user();
    const posts = page.items.map((post) => toSummary(author === undefined ? post : { ...post, author }));
    return { posts, ...toPageLinks("/my-posts", page, request) };
  }

  write() {
    return { ...emptyPost, form: this.#clock.uuid() };
  }

  async create(ctx: Context) {
    const typed = await readPostForm(ctx);
    if (typed.issues.length > 0) return showAgain(ctx, "writing/write", typed);
    const [author, form] = [ctx.get("user_id"), typed.form || this.#clock.uuid()];
    const post = await this.#posts.createOnce(toPostId(author, form, typed.values), author, typed.values);
    if (typed.publish && !post.published) await this.#posts.patch(post.id, { published: true });
    return done(ctx, pathOf(post), typed.publish ? "Your post is published." : "Your draft is saved.");
  }

  edit(ctx: Context) {
    const post = ctx.get("post");
    const { title, content, updated_at: version } = post;
    return toEdit(post, { ...emptyPost, values: { title, content }, version });
  }

  async update(ctx: Context) {
    const post = ctx.get("post");
    const typed = await readPostForm(ctx);
    if (typed.issues.length > 0) return showAgain(ctx, "writing/edit", toEdit(post, typed));
    const changes = { ...typed.values, ...(typed.publish ? { published: true } : {}) };
    const saved = await this.#posts.patch(post.id, changes, typed.version || undefined);
    if (saved === undefined) {
      found(await this.#posts.find(post.id));
      throw new HttpError(409, "This post was saved in another window since you opened it.");
    }
    return done(ctx, pathOf(post), typed.publish ? "Your post is published." : "Your changes are saved.");
  }

  async publish(ctx: Context) {
    const { published, back = "" } = await ctx.bind(PublishForm);
    const post = found(await this.#posts.patch(ctx.get("post").id, { published }));
    return done(ctx, back || pathOf(post), published ? "Your post is published." : "Your post is a draft again.");
  }

  confirm(ctx: Context) {
    return { post: toSummary(ctx.get("post")) };
  }

  async delete(ctx: Context) {
    await this.#posts.delete(ctx.get("post").id);
    return done(ctx, "/my-posts", "Your post is deleted.");
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

/** The post may have been deleted since `OwnPost` loaded it. */
function found(post: Post | undefined): Post {
  if (post === undefined) throw new HttpError(404, "Post not found");
  return post;
}
