import { setImmediate } from "node:timers/promises";
import { Clock } from "@tenon/auth";
import { inject } from "@tenon/core";
import { Database } from "@tenon/data";
import { UsersService } from "../users/users.service.ts";
import type { PostsTable, Schema } from "./schema.ts";

const batch = 500;
const author = { email: "seed@example.com", name: "Seed" };

/** Fills the store, to see how it behaves with many posts. */
export class Seed {
  readonly #db = inject(Database<Schema>);
  readonly #users = inject(UsersService);
  readonly #clock = inject(Clock);

  /** Writes published posts in batches, each whole or not at all, and stops between two when it is told to. */
  async write(posts: number, signal: AbortSignal, onWritten: (count: number) => void): Promise<number> {
    const authorId = await this.#authorId();
    let written = 0;
    while (written < posts && !signal.aborted) {
      const count = Math.min(batch, posts - written);
      const rows = Array.from({ length: count }, (_, index) => this.#post(authorId, written + index));
      await this.#db.insertInto("posts").values(rows).execute();
      written += count;
      onWritten(count);
      await setImmediate(); // the embedded store answers without letting the event loop turn, and no signal would be heard
    }
    return written;
  }

  async #authorId(): Promise<string> {
    const known = await this.#users.findByEmail(author.email);
    const user = known ?? (await this.#users.create({ ...author, password: this.#clock.secret() }));
    if (user === undefined) throw new Error(`${author.email} was registered by somebody else just now: try again`);
    return user.id;
  }

  #post(authorId: string, index: number): PostsTable {
    const time = new Date(this.#clock.now() - index * 1000).toISOString();
    return {
      id: this.#clock.uuid(),
      title: `Post ${index + 1}`,
      content: `The content of post ${index + 1}. ${"It goes on for a while. ".repeat(8)}`.trim(),
      author_id: authorId,
      published: true,
      created_at: time,
      updated_at: time,
    };
  }
}
