import { BearerAuth } from "@tenon/auth";
import { array, dto, inject, integer, route, string } from "@tenon/core";
import { page } from "@tenon/data";
import { TaskEditor } from "./policies.ts";
import { Task, TaskQuery } from "./projects.dto.ts";
import { TasksService } from "./tasks.service.ts";

const mine = route.under("/", { middlewares: [BearerAuth] });
const Batch = dto("Batch", { ids: array(string("required", "uuid"), "required", "min=1", "max=100") });
const Count = dto("Count", { total: integer("required") });

/** Tasks of all projects of the user. */
export class TaskListsController {
  readonly #tasks = inject(TasksService);
  readonly #editor = inject(TaskEditor);

  readonly index = mine.get("/tasks", { query: TaskQuery, returns: page(Task) }, (ctx, { query }) =>
    this.#tasks.list(ctx.get("user_email"), query),
  );

  readonly recent = mine.get("/tasks/recent", { returns: array(Task) }, (ctx) =>
    this.#tasks.recent(ctx.get("user_email")),
  );

  readonly count = mine.get("/tasks/count", { returns: Count }, async (ctx) => ({
    total: await this.#tasks.count(ctx.get("user_email")),
  }));

  readonly trash = mine.get("/tasks/trash", { returns: array(Task) }, (ctx) =>
    this.#tasks.listDeleted(ctx.get("user_email")),
  );

  readonly complete = mine.post(
    "/tasks/complete",
    { body: Batch, returns: { 204: null }, errors: { 403: "Forbidden", 404: "Not Found" } },
    async (ctx, { body }) => {
      for (const id of body.ids) await this.#editor.check(ctx, id); // all of them before the first change
      for (const id of body.ids) await this.#tasks.update(id, { done: true });
      await this.#tasks.forgetRecent(ctx.get("user_email"));
    },
  );

  routes() {
    return [this.index, this.recent, this.count, this.trash, this.complete];
  }
}
