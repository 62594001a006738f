import { BearerAuth, loaded } from "@tenon/auth";
import { type Context, inject, route } from "@tenon/core";
import { PageQuery, page } from "@tenon/data";
import { DeletedTaskEditor, ProjectEditor, ProjectMember, TaskEditor, TaskMember } from "./policies.ts";
import { Task, TaskChanges, TaskInput } from "./projects.dto.ts";
import { TasksService } from "./tasks.service.ts";

const mine = route.under("/", { middlewares: [BearerAuth], errors: { 403: "Forbidden", 404: "Not Found" } });

/** Tasks of a project, and each by its own path. */
export class TasksController {
  readonly #tasks = inject(TasksService);
  readonly #editor = inject(ProjectEditor);

  readonly index = mine.get(
    "/projects/:id/tasks",
    { middlewares: [ProjectMember], query: PageQuery, returns: page(Task) },
    (ctx, { query }) => this.#tasks.listOfProject(ctx.param("id"), query),
  );

  readonly create = mine.post(
    "/projects/:id/tasks",
    { middlewares: [ProjectEditor], body: TaskInput, returns: { 201: Task } },
    async (ctx, { body }) => {
      const task = await this.#tasks.create(ctx.param("id"), ctx.get("user_id"), body);
      await this.#forgetRecent(ctx);
      return task;
    },
  );

  readonly showInProject = mine.get(
    "/projects/:id/tasks/:task_id",
    { middlewares: [ProjectMember], returns: Task },
    async (ctx) => (await this.#tasks.findIn(ctx.param("id"), ctx.param("task_id"))) ?? ctx.fail(404),
  );

  readonly show = mine.get("/tasks/:id", { middlewares: [TaskMember], returns: Task }, (ctx) =>
    loaded(ctx, TaskMember),
  );

  readonly update = mine.patch(
    "/tasks/:id",
    { middlewares: [TaskEditor], body: TaskChanges, returns: Task },
    async (ctx, { body }) => {
      if (body.project_id !== undefined) await this.#editor.check(ctx, body.project_id);
      const task = await this.#tasks.update(ctx.param("id"), body);
      await this.#forgetRecent(ctx);
      return task ?? ctx.fail(404);
    },
  );

  readonly delete = mine.delete(
    "/tasks/:id",
    { summary: "Move a task to the trash", middlewares: [TaskEditor], returns: { 204: null } },
    async (ctx) => {
      await this.#tasks.setDeleted(ctx.param("id"), true);
      await this.#forgetRecent(ctx);
    },
  );

  readonly restore = mine.post(
    "/tasks/:id/restore",
    { middlewares: [DeletedTaskEditor], returns: { 204: null } },
    async (ctx) => {
      await this.#tasks.setDeleted(ctx.param("id"), false);
      await this.#forgetRecent(ctx);
    },
  );

  #forgetRecent(ctx: Context): Promise<void> {
    return this.#tasks.forgetRecent(ctx.get("user_email"));
  }

  routes() {
    return [...[this.index, this.create, this.showInProject], ...[this.show, this.update, this.delete, this.restore]];
  }
}
