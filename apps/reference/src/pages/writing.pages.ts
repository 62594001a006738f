import { boolean, type Context, dto, HttpError, inject, type Routes } from "@tenon/core";
import { redirect, view } from "@tenon/core/web";
import { noStore } from "../auth/no-store.ts";
import type { Post } from "../posts/post.ts";
import { PostsService } from "../posts/posts.service.ts";
import { OwnPost } from "./own-post.ts";
import { isPastTheTop, readPagePlace, toPageLinks } from "./page-links.ts";
import { emptyPost, readPostForm, type TypedPost } from "./post.form.ts";
import { toSummary } from "./post-view.ts";
import { RequireLogin } from "./require-login.ts";

const PublishForm = dto({ published: boolean("required") });

/** What an author sees and does. */
export class WritingPages {
  readonly #posts = inject(PostsService);

  routes(): Routes {
    return [
      {
        path: "/",
        middlewares: [noStore, RequireLogin],
        children: [
          { method: "GET", path: "/my-posts", handler: this.mine },
          { method: "GET", path: "/posts/new", handler: this.write },
          { method: "POST", path: "/posts", handler: this.create },
          {
            path: "/posts/:id",
            middlewares: [OwnPost],
            children: [
              { method: "GET", path: "/edit", handler: this.edit },
              { method: "PUT", path: "/", handler: this.update },
              { method: "PATCH", path: "/", handler: this.publish },
              { method: "GET", path: "/delete", handler: this.confirm },
              { method: "DELETE", path: "/", handler: this.delete },
            ],
          },
        ],
      },
    ];
  }

  async mine(ctx: Context) {
    const request = readPagePlace(ctx);
    const page = await this.#posts.ofAuthor(ctx.get("user_id"), request);
    if (isPastTheTop(page, request)) return redirect("/my-posts");
    return { posts: page.items.map(toSummary), ...toPageLinks("/my-posts", page, request) };
  }

  write() {
    return emptyPost;
  }

  async create(ctx: Context) {
    const typed = await readPostForm(ctx);
    if (typed.issues.length > 0) return view("writing/write", typed, { status: 422 });
    const post = await this.#posts.create(ctx.get("user_id"), typed.values);
    if (typed.publish) await this.#posts.patch(post.id, { published: true });
    return done(ctx, pathOf(post), typed.publish ? "Your post is published." : "Your draft is saved.");
  }

  edit(ctx: Context) {
    const post = ctx.get("post");
    return toEdit(post, { ...emptyPost, values: { title: post.title, content: post.content } });
  }

  async update(ctx: Context) {
    const post = ctx.get("post");
    const typed = await readPostForm(ctx);
    if (typed.issues.length > 0) return view("writing/edit", toEdit(post, typed), { status: 422 });
    const changes = { ...typed.values, ...(typed.publish ? { published: true } : {}) };
    found(await this.#posts.patch(post.id, changes));
    return done(ctx, pathOf(post), typed.publish ? "Your post is published." : "Your changes are saved.");
  }

  async publish(ctx: Context) {
    const { published } = await ctx.bind(PublishForm);
    const post = found(await this.#posts.patch(ctx.get("post").id, { published }));
    return done(ctx, pathOf(post), published ? "Your post is published." : "Your post is a draft again.");
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

function toEdit({ id, published }: Post, typed: TypedPost) {
  return { id, published, ...typed };
}

function pathOf({ id }: Post): string {
  return `/posts/${id}`;
}

/** Somebody else may have deleted it since `OwnPost` has seen it. */
function found(post: Post | undefined): Post {
  if (post === undefined) throw new HttpError(404, "Post not found");
  return post;
}
