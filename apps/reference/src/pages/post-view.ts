import { inject } from "@tenon/core";
import { Cache } from "@tenon/data";
import type { Post } from "../posts/post.ts";
import { toExcerpt, toHtml } from "./markdown.ts";
import { toShownName, toShownTitle } from "./shown-text.ts";

export interface ShownTime {
  /** For `<time datetime>`. */
  readonly iso: string;
  readonly text: string;
}

/** A post in a list. Only the name of its author: pages show no e-mail addresses. */
export interface PostSummary {
  readonly id: string;
  readonly title: string;
  readonly author: string;
  readonly published: boolean;
  readonly created: ShownTime;
  /** Undefined when it last changed on the day it was written. */
  readonly updated: ShownTime | undefined;
  readonly excerpt: string;
}

/** A post on its own page. */
export interface PostDetail extends PostSummary {
  /** Sanitized: safe to insert unescaped. */
  readonly html: string;
  /** Reading time. */
  readonly minutes: number;
}

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const minute = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
const wordsPerMinute = 220;
const cacheSeconds = 3600;

export function toSummary(post: Post): PostSummary {
  return { ...describe(post), excerpt: toExcerpt(post.content) };
}

/** Renders posts, each once: a changed post has another `updated_at`, and with it another cache key. */
export class PostViews {
  readonly #cache = inject(Cache);

  async detail(post: Post): Promise<PostDetail> {
    const key = `post-html:${post.id}:${post.updated_at}`;
    const rendered = await this.#cache.remember(key, cacheSeconds, () => render(post.content));
    return { ...toSummary(post), ...rendered };
  }
}

function render(content: string): Pick<PostDetail, "html" | "minutes"> {
  const words = content.match(/\S+/g)?.length ?? 0;
  return { html: toHtml(content), minutes: Math.max(1, Math.round(words / wordsPerMinute)) };
}

function describe(post: Post): Omit<PostSummary, "excerpt"> {
  const created = toTime(post.created_at);
  const updated = toTime(post.updated_at);
  return {
    id: post.id,
    title: toShownTitle(post.title),
    author: toShownName(post.author?.name ?? ""),
    published: post.published,
    created,
    updated: updated.text === created.text ? undefined : updated,
  };
}

/** With the time of the day. */
export function toMinute(iso: string): ShownTime {
  return { iso, text: `${minute.format(new Date(iso))} UTC` };
}

function toTime(iso: string): ShownTime {
  return { iso, text: day.format(new Date(iso)) };
}
