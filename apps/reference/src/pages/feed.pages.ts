import { hash } from "node:crypto";
import { type Context, inject, route, token } from "@tenon/core";
import { PostsService } from "../posts/posts.service.ts";
import { feedPath, toAtom } from "./atom.ts";

/** The unique URI of the feed. */
export const FeedId = token<string>("FeedId");

const entries = 10;

/** The newest posts for feed readers. */
export class FeedPages {
  readonly #posts = inject(PostsService);
  readonly #id = inject(FeedId);

  readonly feed = route.get(feedPath, { summary: "The newest posts as an Atom feed" }, async (ctx) => {
    const { items } = await this.#posts.published({ limit: entries });
    const xml = toAtom(this.#id, items);
    const etag = `"${hash("sha256", xml, "base64url")}"`;
    const headers = ctx.response();
    headers.setHeader("content-type", "application/atom+xml; charset=utf-8");
    headers.setHeader("cache-control", "no-cache"); // stored, but revalidated: feed readers poll every few minutes
    headers.setHeader("etag", etag);
    return isKnown(ctx, etag) ? ctx.status(304).send("") : ctx.status(200).send(xml);
  });

  routes() {
    return [this.feed];
  }
}

/** Whether the client has this version. A compressing proxy turns our tag into a weak one. */
function isKnown(ctx: Context, etag: string): boolean {
  const tags = ctx.header("if-none-match").split(",");
  return tags.some((tag) => ["*", etag, `W/${etag}`].includes(tag.trim()));
}
