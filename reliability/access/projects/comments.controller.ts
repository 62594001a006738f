import { BearerAuth } from "@tenon/auth";
import { array, inject, route } from "@tenon/core";
import { CommentsService } from "./comments.service.ts";
import { CommentAuthor, TaskMember } from "./policies.ts";
import { Comment, CommentInput } from "./projects.dto.ts";

const comments = route.under("/tasks/:id/comments", {
  middlewares: [BearerAuth, TaskMember],
  errors: { 404: "Not Found" },
});

/** Every member may comment on a task; a comment is changed and deleted by its author. */
export class CommentsController {
  readonly #comments = inject(CommentsService);

  readonly index = comments.get("/", { returns: array(Comment) }, (ctx) => this.#comments.list(ctx.param("id")));

  readonly create = comments.post("/", { body: CommentInput, returns: { 201: Comment } }, (ctx, { body }) =>
    this.#comments.create(ctx.param("id"), ctx.get("user_id"), body),
  );

  readonly update = comments.patch(
    "/:comment_id",
    { middlewares: [CommentAuthor], body: CommentInput, returns: Comment },
    async (ctx, { body }) => (await this.#comments.update(ctx.param("comment_id"), body)) ?? ctx.fail(404),
  );

  readonly delete = comments.delete("/:comment_id", { middlewares: [CommentAuthor], returns: { 204: null } }, (ctx) =>
    this.#comments.delete(ctx.param("comment_id")),
  );

  routes() {
    return [this.index, this.create, this.update, this.delete];
  }
}
