import { BearerAuth } from "@tenon/auth";
import { type Context, inject, routes } from "@tenon/core";
import { readListRequest, replyWithList } from "./page.ts";
import { PostOwner, PostPolicy } from "./post-owner.ts";
import { CreatePostDTO, UpdatePostDTO } from "./posts.dto.ts";
import { PostsService } from "./posts.service.ts";

export class PostsController {
  readonly #posts = inject(PostsService);
  readonly #policy = inject(PostPolicy);

  routes() {
    const middlewares = [BearerAuth];
    const changing = this.#policy === "owner" ? [BearerAuth, PostOwner] : middlewares;
    return routes([
      { method: "GET", path: "/posts", handler: this.index },
      { method: "GET", path: "/posts/:id", handler: this.show },
      { method: "POST", path: "/posts", handler: this.create, middlewares },
      { method: "PUT", path: "/posts/:id", handler: this.update, middlewares: changing },
      { method: "PATCH", path: "/posts/:id", handler: this.patch, middlewares: changing },
      { method: "DELETE", path: "/posts/:id", handler: this.delete, middlewares: changing },
      { method: "GET", path: "/my-posts", handler: this.mine, middlewares },
    ]);
  }

  index(ctx: Context) {
    return replyWithList(ctx, this.#posts.listPublished(readListRequest(ctx)));
  }

  async show(ctx: Context<"/posts/:id">) {
    return (await this.#posts.find(ctx.param("id"))) ?? notFound(ctx);
  }

  async create(ctx: Context) {
    const input = await ctx.bind(CreatePostDTO);
    return ctx.status(201).json(await this.#posts.create(ctx.get("user_id"), input));
  }

  async update(ctx: Context<"/posts/:id">) {
    return this.#posts.replace(ctx.param("id"), await ctx.bind(UpdatePostDTO));
  }

  async patch(ctx: Context<"/posts/:id">) {
    return (await this.#posts.patch(ctx.param("id"), await ctx.bind(UpdatePostDTO))) ?? notFound(ctx);
  }

  async delete(ctx: Context<"/posts/:id">) {
    await this.#posts.delete(ctx.param("id"));
  }

  mine(ctx: Context) {
    return replyWithList(ctx, this.#posts.listOfAuthor(ctx.get("user_id"), readListRequest(ctx)));
  }
}

function notFound(ctx: Context) {
  return ctx.status(404).json({ error: "Post not found" });
}
