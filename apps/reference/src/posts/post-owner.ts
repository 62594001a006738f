import { type Context, HttpError, inject, type Middleware, type Next, token } from "@tenon/core";
import { PostsService } from "./posts.service.ts";

/** Who may change or delete a post: any authenticated user, as the specification says, or only its author. */
export type PostPolicy = "anyone" | "owner";
export const PostPolicy = token<PostPolicy>("PostPolicy");

/** Rejects requests that are not from the author of the post; lets them pass for a missing post. List it after `BearerAuth`. */
export class PostOwner implements Middleware {
  readonly contract = { errors: { 403: "Forbidden" } } as const;
  readonly #posts = inject(PostsService);

  async handle(ctx: Context<"/posts/:id">, next: Next) {
    const post = await this.#posts.find(ctx.param("id"));
    if (post !== undefined && post.author_id !== ctx.get("user_id")) {
      throw new HttpError(403, this.contract.errors[403]);
    }
    return next();
  }
}
