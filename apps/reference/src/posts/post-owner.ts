import { type Context, inject, type Middleware, type Next, token } from "@tenon/core";
import { PostsService } from "./posts.service.ts";

/** Who may change or remove a post: any authenticated user, as the specification says, or its author alone. */
export type PostPolicy = "anyone" | "owner";
export const PostPolicy = token<PostPolicy>("PostPolicy");

/** Lets only the author of a post pass; a post that is not there is nobody's. Stands behind `BearerAuth`. */
export class PostOwner implements Middleware {
  readonly #posts = inject(PostsService);

  async handle(ctx: Context<"/posts/:id">, next: Next) {
    const post = await this.#posts.find(ctx.param("id"));
    if (post !== undefined && post.author_id !== ctx.get("user_id")) {
      return ctx.status(403).json({ error: "Forbidden" });
    }
    return next();
  }
}
