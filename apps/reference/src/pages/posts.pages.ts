import { inject, route } from "@tenon/core";
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

  readonly index = route.get(
    "/",
    { summary: "Published posts, newest first", query: PageQuery },
    async (_, { query }) => {
      const page = await this.#posts.published(toPageRequest(query));
      if (isPastTheTop(page, query)) return redirect("/");
      return { posts: page.items.map(toSummary), ...toPageLinks("/", page, query) };
    },
  );

  /** For users who shorten the address of a post by hand. */
  readonly list = route.get("/posts", { summary: "Redirects to the first page" }, () => redirect("/"));

  /** A draft is visible to its author only. */
  readonly show = route.get(
    "/posts/:id",
    { summary: "One post", access: "public", errors: { 404: "Post not found" } },
    async (ctx) => {
      const post = await this.#posts.find(ctx.param("id"));
      const user = await ctx.get("visitor").user();
      const isMine = post !== undefined && post.author_id === user?.id;
      if (post === undefined || !(post.published || isMine)) return ctx.fail(404);
      const time = isMine && !post.published ? await this.#publication.timeOf(post.id) : undefined;
      const publishAt = time === undefined ? undefined : toMinute(time);
      return { post: await this.#views.detail(post), isMine, publishAt };
    },
  );

  routes() {
    return [this.index, this.list, this.show];
  }
}
