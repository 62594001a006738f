import { BindError, boolean, Clock, type Context, dto, inject, integer, route, string } from "@tenon/core";
import { PostFeed } from "./post-feed.ts";
import { PostsService } from "./posts.service.ts";
import { Publication, parsePublicationTime } from "./publication.ts";

const ListPosts = dto({
  limit: integer("min=1", "max=1000").alias("l").describe("How many to show; defaults to 20"),
});
const PublishPost = dto({
  undo: boolean().describe("Makes it a draft again, and forgets the time of --at"),
  at: string().describe("Publishes it later, at a time in UTC: 2027-01-31T09:00"),
});

const WatchPosts = dto({
  url: string("url").describe("Watches another service, for example https://blog.example"),
});

/** Commands for posts, on the services of the API. */
export class PostsCommands {
  readonly #posts = inject(PostsService);
  readonly #feed = inject(PostFeed);
  readonly #publication = inject(Publication);
  readonly #clock = inject(Clock);

  readonly list = route.command(
    "posts/list",
    { summary: "Published posts, newest first", query: ListPosts },
    async (_, { query: { limit = 20 } }) => {
      const { items } = await this.#posts.published({ limit });
      return items.map(({ id, title, author, updated_at }) => ({ id, title, author: author?.name ?? "", updated_at }));
    },
  );

  readonly watch = route.command(
    "posts/watch",
    { summary: "Changes of the public list, as they happen", query: WatchPosts },
    (ctx, { query }) => this.#feed.read(query.url, ctx.signal),
  );

  readonly show = route.command(
    "posts/show/:id",
    { summary: "One post, drafts included", errors: { 404: "Post not found" } },
    async (ctx) => {
      const post = await this.#posts.find(ctx.param("id"));
      return post === undefined ? ctx.fail(404) : { ...post, author: post.author?.name ?? "" };
    },
  );

  readonly publish = route.command(
    "posts/publish/:id",
    { summary: "Publish a post, now or later", query: PublishPost, errors: { 404: "Post not found" } },
    async (ctx, { query: { undo = false, at } }) => {
      const id = ctx.param("id");
      if (at !== undefined && !undo) return this.#publishLater(ctx, id, at);
      const post = await this.#posts.patch(id, { published: !undo });
      if (post === undefined) return ctx.fail(404);
      await this.#publication.cancel(id);
      return post;
    },
  );

  async #publishLater(ctx: Context, id: string, at: string) {
    const time = parsePublicationTime(at, this.#clock.now());
    if (time === undefined) {
      const message = "must be a time in the future, such as 2027-01-31T09:00";
      throw new BindError([{ path: "at", rule: "future", message }]);
    }
    const post = await this.#posts.find(id);
    if (post === undefined) return ctx.fail(404);
    await this.#publication.schedule(id, time);
    return { id, title: post.title, publish_at: time.toISOString() };
  }

  routes() {
    return [this.list, this.show, this.publish, this.watch];
  }
}
