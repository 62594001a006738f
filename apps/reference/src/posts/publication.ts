import { dto, inject, string } from "@tenon/core";
import { defineJob, Jobs } from "@tenon/jobs";

export const PublishPost = defineJob("posts/publish-now", {
  summary: "Publish a post whose time has come",
  input: dto({ post_id: string("required") }),
});

/** Posts that are published later: each is a job with the id of the post as its key. */
export class Publication {
  readonly #jobs = inject(Jobs);

  /** Replaces an earlier time. */
  async schedule(postId: string, at: Date): Promise<void> {
    await this.cancel(postId);
    await this.#jobs.enqueue(PublishPost, { post_id: postId }, { runAt: at, key: postId });
  }

  /** Returns whether there was a time. */
  async cancel(postId: string): Promise<boolean> {
    const job = await this.#find(postId);
    return job !== undefined && this.#jobs.cancel(job.id);
  }

  /** When the post is published, in ISO format; undefined when that is not planned. */
  async timeOf(postId: string): Promise<string | undefined> {
    return (await this.#find(postId))?.runAt;
  }

  async #find(postId: string) {
    const [job] = await this.#jobs.list({ name: PublishPost.name, key: postId, state: "scheduled", limit: 1 });
    return job;
  }
}

/** A time in the future, as a browser sends it (UTC, because it sends no zone) or with a zone; else undefined. */
export function parsePublicationTime(text: string, now: number): Date | undefined {
  const isBare = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text);
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const time = isBare || isWhole ? new Date(isBare ? `${text}Z` : text) : undefined;
  return time !== undefined && time.getTime() > now ? time : undefined;
}
