import { type Context, endpoint, inject, routes } from "@tenon/core";
import { redirect } from "@tenon/web";
import { PostsService } from "../posts/posts.service.ts";
import { Publication } from "../posts/publication.ts";
import { isPastTheTop, PageQuery, toPageLinks, toPageRequest } from "./page-links.ts";
import { PostViews, toMinute, toSummary } from "./post-view.ts";

/** The public pages. */
export class PostsPages {
  readonly #posts = inject(PostsService);
  readonly #views = inject(PostViews);
  readonly #publication = inject(Publication);

  routes() {
    return routes([
      { method: "GET", path: "/", handler: this.index },
      { method: "GET", path: "/posts", handler: this.list },
      { method: "GET", path: "/posts/:id", handler: this.show },
    ]);
  }

  readonly index = endpoint({ summary: "Published posts, newest first", query: PageQuery }, async (_, { query }) => {
    const request = toPageRequest(query);
    const page = await this.#posts.published(request);
    if (isPastTheTop(page, request)) return redirect("/");
    return { posts: page.items.map(toSummary), ...toPageLinks("/", page, request) };
  });

  /** For users who shorten the address of a post by hand. */
  readonly list = endpoint({ summary: "Redirects to the first page" }, () => redirect("/"));

  /** A draft is visible to its author only. */
  readonly show = endpoint(
    { summary: "One post", errors: { 404: "Post not found" } },
    async (ctx: Context<"/posts/:id">) => {
      const post = await this.#posts.find(ctx.param("id"));
      const user = await ctx.get("visitor").user();
      const isMine = post !== undefined && post.author_id === user?.id;
      if (post === undefined || !(post.published || isMine)) return ctx.fail(404);
      const time = isMine && !post.published ? await this.#publication.timeOf(post.id) : undefined;
      const publishAt = time === undefined ? undefined : toMinute(time);
      return { post: await this.#views.detail(post), isMine, publishAt };
    },
  );
}
