import { randomUUID } from "node:crypto";
import { Clock, inject } from "@tenon/core";
import { Database } from "@tenon/data";
import type { Comment, CommentInput, Schema } from "./projects.dto.ts";

export class CommentsService {
  readonly #db = inject(Database<Schema>);
  readonly #clock = inject(Clock);

  list(taskId: string): Promise<Comment[]> {
    return this.#db.selectFrom("comments").selectAll().where("task_id", "=", taskId).orderBy("created_at").execute();
  }

  /** Undefined for a comment on another task. */
  find(taskId: string, id: string): Promise<Comment | undefined> {
    return this.#db
      .selectFrom("comments")
      .selectAll()
      .where("id", "=", id)
      .where("task_id", "=", taskId)
      .executeTakeFirst();
  }

  async create(taskId: string, authorId: string, { text }: CommentInput): Promise<Comment> {
    const created_at = this.#clock.timestamp();
    const comment = { id: randomUUID(), task_id: taskId, author_id: authorId, text, created_at };
    await this.#db.insertInto("comments").values(comment).execute();
    return comment;
  }

  update(id: string, { text }: CommentInput): Promise<Comment | undefined> {
    return this.#db.updateTable("comments").set({ text }).where("id", "=", id).returningAll().executeTakeFirst();
  }

  async delete(id: string): Promise<void> {
    await this.#db.deleteFrom("comments").where("id", "=", id).execute();
  }
}
