import { Policy } from "@tenon/auth";
import { type Context, inject } from "@tenon/core";
import { CommentsService } from "./comments.service.ts";
import type { Comment, MyProject } from "./projects.dto.ts";
import { ProjectsService } from "./projects.service.ts";
import { type MyTask, TasksService } from "./tasks.service.ts";

/** Loads the project with the role of the user: for those who are not members it does not exist. */
export class ProjectMember extends Policy<MyProject> {
  readonly name: string = "project member";
  readonly missing = 404;
  readonly denied = 403;
  readonly #projects = inject(ProjectsService);

  load(id: string, ctx: Context) {
    return this.#projects.findFor(ctx.get("user_email"), id);
  }

  allow(_: Context, { role }: MyProject): boolean {
    return role !== undefined;
  }
}

export class ProjectEditor extends ProjectMember {
  override readonly name = "project editor";

  override allow(_: Context, { role }: MyProject) {
    return role !== "viewer";
  }
}

export class ProjectOwner extends ProjectMember {
  override readonly name = "project owner";

  override allow(_: Context, { role }: MyProject) {
    return role === "owner";
  }
}

/** The same for the members of the task's project. */
export class TaskMember extends Policy<MyTask> {
  readonly name: string = "project member";
  readonly missing = 404;
  readonly denied = 403;
  readonly #tasks = inject(TasksService);

  load(id: string, ctx: Context) {
    return this.#tasks.findFor(ctx.get("user_email"), id);
  }

  allow(_: Context, { role }: MyTask): boolean {
    return role !== undefined;
  }
}

export class TaskEditor extends TaskMember {
  override readonly name = "project editor";

  override allow(_: Context, { role }: MyTask) {
    return role !== "viewer";
  }
}

/** For tasks in the trash. */
export class DeletedTaskEditor extends Policy<MyTask> {
  readonly name = "project editor";
  readonly missing = 404;
  readonly denied = 403;
  readonly #tasks = inject(TasksService);

  load(id: string, ctx: Context) {
    return this.#tasks.findDeletedFor(ctx.get("user_email"), id);
  }

  allow(_: Context, { role }: MyTask) {
    return role !== "viewer";
  }
}

/** List it after `TaskMember`, which decides about the task of the path: only a comment of that task exists. */
export class CommentAuthor extends Policy<Comment> {
  readonly name = "comment author";
  readonly missing = 404;
  readonly denied = 403;
  override readonly param = "comment_id";
  readonly #comments = inject(CommentsService);

  load(id: string, ctx: Context<"/:id">) {
    return this.#comments.find(ctx.param("id"), id);
  }

  allow(ctx: Context, comment: Comment) {
    return comment.author_id === ctx.get("user_id");
  }
}
