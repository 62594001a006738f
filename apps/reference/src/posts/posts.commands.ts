import { boolean, type Context, dto, endpoint, group, inject, integer, routes } from "@tenon/core";
import { PostsService } from "./posts.service.ts";

const ListPosts = dto({
  limit: integer("min=1", "max=1000").alias("l").describe("How many to show; defaults to 20"),
});
const PublishPost = dto({
  undo: boolean().describe("Makes it a draft again"),
});

/** Commands for posts, on the services of the API. */
export class PostsCommands {
  readonly #posts = inject(PostsService);

  routes() {
    return routes([
      group("posts", [
        { path: "list", handler: this.list },
        { path: "show/:id", handler: this.show },
        { path: "publish/:id", handler: this.publish },
      ]),
    ]);
  }

  readonly list = endpoint(
    { summary: "Published posts, newest first", query: ListPosts },
    async (_, { query: { limit = 20 } }) => {
      const { items } = await this.#posts.published({ limit });
      return items.map(({ id, title, author, updated_at }) => ({ id, title, author: author?.name ?? "", updated_at }));
    },
  );

  readonly show = endpoint(
    { summary: "One post, drafts included", errors: { 404: "Post not found" } },
    async (ctx: Context<"posts/show/:id">) => {
      const post = await this.#posts.find(ctx.param("id"));
      return post === undefined ? ctx.fail(404) : { ...post, author: post.author?.name ?? "" };
    },
  );

  readonly publish = endpoint(
    { summary: "Publish a post", query: PublishPost, errors: { 404: "Post not found" } },
    async (ctx: Context<"posts/publish/:id">, { query: { undo = false } }) =>
      (await this.#posts.patch(ctx.param("id"), { published: !undo })) ?? ctx.fail(404),
  );
}
