import { randomBytes, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { Clock, inject } from "@tenon/core";
import { Database } from "@tenon/data";
import { UsersService } from "../users/users.service.ts";
import { type SamplePost, sampleAuthors, sampleEmailOf, samplePosts } from "./sample-posts.ts";
import type { PostsTable, Schema } from "./schema.ts";

const batch = 500;
const published = samplePosts.filter((post) => post.published !== false);

/** Fills the database with sample posts. */
export class Seed {
  readonly #db = inject(Database<Schema>);
  readonly #users = inject(UsersService);
  readonly #clock = inject(Clock);

  /** Writes published posts in atomic batches, and stops between two when the signal aborts. */
  async write(posts: number, signal: AbortSignal, onWritten: (count: number) => void): Promise<number> {
    const authorIds = await this.#authorIds();
    let written = 0;
    while (written < posts && !signal.aborted) {
      const count = Math.min(batch, posts - written);
      const rows = Array.from({ length: count }, (_, index) => this.#post(authorIds, written + index));
      await this.#db.insertInto("posts").values(rows).execute();
      written += count;
      onWritten(count);
      await setImmediate(); // SQLite is synchronous here: without a turn of the event loop no signal would arrive
    }
    return written;
  }

  /** The id of each sample author, by name. Their passwords are random and not kept: a seeded author cannot log in. */
  async #authorIds(): Promise<ReadonlyMap<string, string>> {
    const ids = new Map<string, string>();
    for (const name of sampleAuthors) ids.set(name, await this.#authorId(name));
    return ids;
  }

  async #authorId(name: string): Promise<string> {
    const email = sampleEmailOf(name);
    const known = await this.#users.findByEmail(email);
    const user = known ?? (await this.#users.create({ email, name, password: randomBytes(18).toString("base64url") }));
    if (user === undefined) throw new Error(`${email} was registered by another process just now: try again`);
    return user.id;
  }

  /** Newest first. After the last sample the texts repeat, with a number in the title. */
  #post(authorIds: ReadonlyMap<string, string>, index: number): PostsTable {
    const sample = published[index % published.length] as SamplePost; // the list is not empty
    const round = Math.floor(index / published.length) + 1;
    const time = new Date(this.#clock.now() - index * 1000).toISOString();
    return {
      id: randomUUID(),
      title: round === 1 ? sample.title : `${sample.title} (${round})`,
      content: sample.content,
      author_id: authorIds.get(sample.author) ?? "",
      published: true,
      created_at: time,
      updated_at: time,
    };
  }
}
