import { BearerAuth } from "@tenon/auth";
import { array, type Context, endpoint, inject, routes } from "@tenon/core";
import { Channels, events } from "@tenon/live";
import { storeFailures } from "../database/store-failures.ts";
import { replyWithList, toListRequest } from "./page.ts";
import { PostOwner, PostPolicy } from "./post-owner.ts";
import { CreatePostDTO, PageQuery, Post, PostRef, PostSummary, UpdatePostDTO } from "./posts.dto.ts";
import { PostsService, postsTopic } from "./posts.service.ts";

const missing = { 404: "Post not found" } as const;

const tags = ["Posts"];

export class PostsController {
  readonly #posts = inject(PostsService);
  readonly #policy = inject(PostPolicy);
  readonly #channels = inject(Channels);

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
      { method: "GET", path: "/live/posts", handler: this.live },
    ]);
  }

  readonly index = endpoint(
    {
      summary: "Published posts, newest first",
      tags,
      query: PageQuery,
      returns: array(Post),
      errors: { 500: storeFailures },
    },
    (ctx, { query }) => replyWithList(ctx, this.#posts.listPublished(toListRequest(query))),
  );

  readonly show = endpoint(
    {
      summary: "One post, published or not",
      tags,
      returns: Post,
      errors: { ...missing, 500: storeFailures },
    },
    async (ctx: Context<"/posts/:id">) => (await this.#posts.find(ctx.param("id"))) ?? ctx.fail(404),
  );

  readonly create = endpoint(
    {
      summary: "Create an unpublished post",
      tags,
      body: CreatePostDTO,
      returns: { 201: Post },
      errors: { 500: storeFailures },
    },
    (ctx, { body }) => this.#posts.create(ctx.get("user_id"), body),
  );

  readonly update = endpoint(
    {
      summary: "Replace a post",
      tags,
      description: "Missing fields become empty and unpublished. A missing post is a failure of the store.",
      body: UpdatePostDTO,
      returns: Post,
      errors: { 500: ["record not found", ...storeFailures] },
    },
    (ctx: Context<"/posts/:id">, { body }) => this.#posts.replace(ctx.param("id"), body),
  );

  readonly patch = endpoint(
    {
      summary: "Change some fields of a post",
      tags,
      body: UpdatePostDTO,
      returns: Post,
      errors: { ...missing, 500: storeFailures },
    },
    async (ctx: Context<"/posts/:id">, { body }) => (await this.#posts.patch(ctx.param("id"), body)) ?? ctx.fail(404),
  );

  readonly delete = endpoint(
    {
      summary: "Delete a post, which may be missing",
      tags,
      returns: { 204: null },
      errors: { 500: storeFailures },
    },
    (ctx: Context<"/posts/:id">) => this.#posts.delete(ctx.param("id")),
  );

  readonly live = events(
    {
      summary: "Changes of the public list, as they happen",
      tags,
      sends: { published: PostSummary, changed: PostSummary, removed: PostRef },
      errors: { 500: storeFailures, 503: "Service Unavailable" },
    },
    (_, stream) => this.#channels.subscribe(postsTopic, stream),
  );

  readonly mine = endpoint(
    {
      summary: "The user's own posts, published or not, newest first",
      tags,
      query: PageQuery,
      returns: array(Post),
      errors: { 500: storeFailures },
    },
    (ctx, { query }) => replyWithList(ctx, this.#posts.listOfAuthor(ctx.get("user_id"), toListRequest(query))),
  );
}
