import { Policy } from "@tenon/auth";
import { type Context, inject } from "@tenon/core";
import type { Post } from "../posts/post.ts";
import { PostsService } from "../posts/posts.service.ts";

/** Lets the author of a post pass, whatever the policy of the API. List it after `RequireLogin`. */
export class OwnPost extends Policy<Post> {
  readonly name = "post owner";
  readonly missing = 404;
  readonly denied = 403;
  override readonly errors = { 403: "Only its author can change or delete a post.", 404: "Post not found" };
  readonly #posts = inject(PostsService);

  /** A draft of another author is missing, as on its own page. */
  async load(id: string, ctx: Context) {
    const post = await this.#posts.find(id);
    return post?.published === true || (post && this.allow(ctx, post)) ? post : undefined;
  }

  allow(ctx: Context, post: Post) {
    return post.author_id === ctx.get("user_id");
  }
}
