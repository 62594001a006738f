import { BearerAuth } from "@tenon/auth";
import { array, type Context, inject, jsonArray, route } from "@tenon/core";
import { RefuseWhenBusy, type RowStream } from "@tenon/data";
import { Channels, events } from "@tenon/live";
import { asSpecified, specifiedFailures, storeFailures } from "../database/store-failures.ts";
import { PostOwner, PostPolicy } from "./post-owner.ts";
import { CreatePostDTO, PageQuery, PatchPostDTO, Post, PostRef, PostSummary, UpdatePostDTO } from "./posts.dto.ts";
import { PostsService, postsTopic } from "./posts.service.ts";

const missing = { 404: "Post not found" } as const;
const posts = route.under("/", { tags: ["Posts"], errors: storeFailures });
const own = posts.under("/", { middlewares: [BearerAuth] });
const specified = route.under("/", {
  tags: ["Posts"],
  middlewares: [asSpecified, BearerAuth],
  errors: { 500: specifiedFailures },
});

export class PostsController {
  readonly #posts = inject(PostsService);
  /** Who may change a post: with "anyone", `access` says that every user may, on purpose. */
  readonly #changing = inject(PostPolicy) === "owner" ? { middlewares: [PostOwner] } : { access: "users" as const };
  readonly #channels = inject(Channels);

  readonly index = posts.get(
    "/posts",
    {
      middlewares: [RefuseWhenBusy],
      summary: "Published posts, newest first",
      query: PageQuery,
      returns: array(Post),
    },
    (ctx, { query }) => replyWithList(ctx, query, this.#posts.listPublished(query)),
  );

  readonly show = posts.get(
    "/posts/:id",
    {
      middlewares: [RefuseWhenBusy],
      summary: "One post, published or not",
      access: "public",
      returns: Post,
      errors: missing,
    },
    async (ctx) => (await this.#posts.find(ctx.param("id"))) ?? ctx.fail(404),
  );

  readonly create = specified.post(
    "/posts",
    { summary: "Create an unpublished post", body: CreatePostDTO, returns: { 201: Post } },
    (ctx, { body }) => this.#posts.create(ctx.get("user_id"), body),
  );

  readonly update = specified.put(
    "/posts/:id",
    {
      ...this.#changing,
      summary: "Replace a post",
      description: "Missing fields become empty and unpublished. A missing post is a failure of the store.",
      body: UpdatePostDTO,
      returns: Post,
      errors: { 500: ["record not found", ...specifiedFailures] },
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

  readonly delete = specified.delete(
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
        errors: { 503: ["Service Unavailable", storeFailures[503]] },
      },
      (_, stream) => this.#channels.subscribe(postsTopic, stream),
    ),
  );

  readonly mine = own.get(
    "/my-posts",
    {
      middlewares: [RefuseWhenBusy],
      summary: "The user's own posts, published or not, newest first",
      query: PageQuery,
      returns: array(Post),
    },
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
