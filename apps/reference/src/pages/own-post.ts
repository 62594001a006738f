import { type Context, HttpError, inject, type Middleware, type Next } from "@tenon/core";
import type { Post } from "../posts/post.ts";
import { PostsService } from "../posts/posts.service.ts";

declare module "@tenon/core" {
  interface GuardValues {
    post: Post;
  }
}

/** Sets `post`, for its author only, whatever the policy of the API. List it after `RequireLogin`. */
export class OwnPost implements Middleware {
  readonly contract = {
    sets: ["post"],
    errors: { 403: "Only its author can change or delete a post.", 404: "Post not found" },
  } as const;
  readonly #posts = inject(PostsService);

  async handle(ctx: Context<"/posts/:id">, next: Next) {
    const { errors } = this.contract;
    const post = await this.#posts.find(ctx.param("id"));
    const isAuthor = post?.author_id === ctx.get("user_id");
    // a draft of another author is a 404, as on its own page
    if (post === undefined || !(isAuthor || post.published)) throw new HttpError(404, errors[404]);
    if (!isAuthor) throw new HttpError(403, errors[403]);
    ctx.set("post", post);
    return next();
  }
}
