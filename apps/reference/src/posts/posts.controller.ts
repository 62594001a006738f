import { BearerAuth } from "@tenon/auth";
import { array, type Context, inject, jsonArray, route } from "@tenon/core";
import type { RowStream } from "@tenon/data";
import { Channels, events } from "@tenon/live";
import { storeFailures } from "../database/store-failures.ts";
import { PostOwner, PostPolicy } from "./post-owner.ts";
import { CreatePostDTO, PageQuery, PatchPostDTO, Post, PostRef, PostSummary, UpdatePostDTO } from "./posts.dto.ts";
import { PostsService, postsTopic } from "./posts.service.ts";

const missing = { 404: "Post not found" } as const;
const posts = route.under("/", { tags: ["Posts"], errors: { 500: storeFailures } });
const own = posts.under("/", { middlewares: [BearerAuth] });

export class PostsController {
  readonly #posts = inject(PostsService);
  /** Who may change a post: with "anyone", `public` says that every user may, on purpose. */
  readonly #changing = inject(PostPolicy) === "owner" ? { middlewares: [PostOwner] } : { public: true };
  readonly #channels = inject(Channels);

  readonly index = posts.get(
    "/posts",
    { summary: "Published posts, newest first", query: PageQuery, returns: array(Post) },
    (ctx, { query }) => replyWithList(ctx, query, this.#posts.listPublished(query)),
  );

  readonly show = posts.get(
    "/posts/:id",
    { summary: "One post, published or not", public: true, returns: Post, errors: missing },
    async (ctx) => (await this.#posts.find(ctx.param("id"))) ?? ctx.fail(404),
  );

  readonly create = own.post(
    "/posts",
    { summary: "Create an unpublished post", body: CreatePostDTO, returns: { 201: Post } },
    (ctx, { body }) => this.#posts.create(ctx.get("user_id"), body),
  );

  readonly update = own.put(
    "/posts/:id",
    {
      ...this.#changing,
      summary: "Replace a post",
      description: "Missing fields become empty and unpublished. A missing post is a failure of the store.",
      body: UpdatePostDTO,
      returns: Post,
      errors: { 500: ["record not found", ...storeFailures] },
    },
    (ctx, { body }) => this.#posts.replace(ctx.param("id"), body),
  );

  readonly patch = own.patch(
    "/posts/:id",
    {
      ...this.#changing,
      summary: "Change some fields of a post",
      body: PatchPostDTO,
      returns: Post,
      errors: missing,
    },
    async (ctx, { body }) => (await this.#posts.patch(ctx.param("id"), body)) ?? ctx.fail(404),
  );

  readonly delete = own.delete(
    "/posts/:id",
    { ...this.#changing, summary: "Delete a post, which may be missing", returns: { 204: null } },
    (ctx) => this.#posts.delete(ctx.param("id")),
  );

  readonly live = posts.get(
    "/live/posts",
    events(
      {
        summary: "Changes of the public list, as they happen",
        sends: { published: PostSummary, changed: PostSummary, removed: PostRef },
        errors: { 503: "Service Unavailable" },
      },
      (_, stream) => this.#channels.subscribe(postsTopic, stream),
    ),
  );

  readonly mine = own.get(
    "/my-posts",
    { summary: "The user's own posts, published or not, newest first", query: PageQuery, returns: array(Post) },
    (ctx, { query }) => replyWithList(ctx, query, this.#posts.listOfAuthor(ctx.get("user_id"), query)),
  );

  routes() {
    return [this.index, this.show, this.create, this.update, this.patch, this.delete, this.mine, this.live];
  }
}

/** The posts as the body, read while they are sent, and the next page in a `Link` header. */
async function replyWithList<Item>(ctx: Context, { limit }: PageQuery, posts: RowStream<Item>) {
  const cursor = await posts.nextCursor();
  if (cursor !== null) {
    ctx.response().setHeader("link", `<${ctx.path}?limit=${limit}&cursor=${cursor}>; rel="next"`);
  }
  return jsonArray(posts);
}
