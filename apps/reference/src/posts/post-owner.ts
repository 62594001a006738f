import { Policy } from "@tenon/auth";
import { type Context, inject, token } from "@tenon/core";
import type { Post } from "./post.ts";
import { PostsService } from "./posts.service.ts";

/** Who may change or delete a post: any authenticated user, as the specification says, or only its author. */
export type PostPolicy = "anyone" | "owner";
export const PostPolicy = token<PostPolicy>("PostPolicy");

/** Lets the author of a post pass. List it after `BearerAuth`. */
export class PostOwner extends Policy<Post> {
  readonly name = "post owner";
  /** The specification has a response for a missing post by method. */
  readonly missing = "pass";
  readonly denied = 403;
  readonly #posts = inject(PostsService);

  load(id: string) {
    return this.#posts.find(id);
  }

  allow(ctx: Context, post: Post) {
    return post.author_id === ctx.get("user_id");
  }
}
