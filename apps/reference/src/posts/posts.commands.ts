import { boolean, type Context, dto, group, HttpError, type Infer, inject, integer, routes, takes } from "@tenon/core";
import type { Post } from "./post.ts";
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
        { path: "list", handler: takes(ListPosts, this.list) },
        { path: "show/:id", handler: this.show },
        { path: "publish/:id", handler: takes(PublishPost, this.publish) },
      ]),
    ]);
  }

  async list(_: Context, { limit = 20 }: Infer<typeof ListPosts>) {
    const { items } = await this.#posts.published({ limit });
    return items.map(({ id, title, author, updated_at }) => ({ id, title, author: author?.name ?? "", updated_at }));
  }

  async show(ctx: Context<"posts/show/:id">) {
    const { author, ...post } = found(await this.#posts.find(ctx.param("id")));
    return { ...post, author: author?.name ?? "" };
  }

  async publish(ctx: Context<"posts/publish/:id">, { undo = false }: Infer<typeof PublishPost>) {
    return found(await this.#posts.patch(ctx.param("id"), { published: !undo }));
  }
}

function found(post: Post | undefined): Post {
  if (post === undefined) throw new HttpError(404, "Post not found");
  return post;
}
