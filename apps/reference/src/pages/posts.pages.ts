import { type Context, HttpError, inject, routes } from "@tenon/core";
import { redirect } from "@tenon/web";
import { PostsService } from "../posts/posts.service.ts";
import { isPastTheTop, readPageRequest, toPageLinks } from "./page-links.ts";
import { PostViews, toSummary } from "./post-view.ts";

/** The public pages. */
export class PostsPages {
  readonly #posts = inject(PostsService);
  readonly #views = inject(PostViews);

  routes() {
    return routes([
      { method: "GET", path: "/", handler: this.index },
      { method: "GET", path: "/posts", handler: this.list },
      { method: "GET", path: "/posts/:id", handler: this.show },
    ]);
  }

  async index(ctx: Context) {
    const request = readPageRequest(ctx);
    const page = await this.#posts.published(request);
    if (isPastTheTop(page, request)) return redirect("/");
    return { posts: page.items.map(toSummary), ...toPageLinks("/", page, request) };
  }

  /** For users who shorten the address of a post by hand. */
  list() {
    return redirect("/");
  }

  /** A draft is visible to its author only. */
  async show(ctx: Context<"/posts/:id">) {
    const post = await this.#posts.find(ctx.param("id"));
    const user = await ctx.get("visitor").user();
    const isMine = post !== undefined && post.author_id === user?.id;
    if (post === undefined || !(post.published || isMine)) throw new HttpError(404, "Post not found");
    return { post: await this.#views.detail(post), isMine };
  }
}
