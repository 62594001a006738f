import { BearerAuth, loaded } from "@tenon/auth";
import { dto, inject, route, string } from "@tenon/core";
import { PageQuery, page } from "@tenon/data";
import { Channels, events } from "@tenon/live";
import { ProjectEditor, ProjectMember, ProjectOwner } from "./policies.ts";
import { MyProject, Project, ProjectInput, Task } from "./projects.dto.ts";
import { ProjectsService } from "./projects.service.ts";
import { TasksService, topicOf } from "./tasks.service.ts";

const mine = route.under("/", { middlewares: [BearerAuth] });
const LiveQuery = dto({ project_id: string("required", "uuid") });
const sends = { added: Task, changed: Task } as const;

export class ProjectsController {
  readonly #projects = inject(ProjectsService);
  readonly #tasks = inject(TasksService);
  readonly #channels = inject(Channels);
  readonly #member = inject(ProjectMember);

  readonly index = mine.get("/projects", { query: PageQuery, returns: page(MyProject) }, (ctx, { query }) =>
    this.#projects.list(ctx.get("user_email"), query),
  );

  readonly create = mine.post("/projects", { body: ProjectInput, returns: { 201: MyProject } }, (ctx, { body }) =>
    this.#projects.create(ctx.get("user_email"), body),
  );

  readonly show = mine.get("/projects/:id", { middlewares: [ProjectMember], returns: MyProject }, (ctx) =>
    loaded(ctx, ProjectMember),
  );

  readonly update = mine.patch(
    "/projects/:id",
    { middlewares: [ProjectEditor], body: ProjectInput, returns: Project, errors: { 404: "Not Found" } },
    async (ctx, { body }) => (await this.#projects.rename(ctx.param("id"), body)) ?? ctx.fail(404),
  );

  readonly delete = mine.delete("/projects/:id", { middlewares: [ProjectOwner], returns: { 204: null } }, (ctx) =>
    this.#projects.delete(ctx.param("id")),
  );

  readonly export = mine.get(
    "/projects/:id/export",
    { summary: "The tasks as CSV", middlewares: [ProjectMember], returns: { content: "text/csv" } },
    (ctx) => this.#tasks.toCsv(ctx.param("id")),
  );

  readonly live = mine.get(
    "/projects/:id/live",
    { middlewares: [ProjectMember] },
    events({ sends }, (ctx, stream) => this.#channels.subscribe(topicOf(ctx.param("id")), stream)),
  );

  readonly liveByQuery = mine.get(
    "/live",
    events({ sends, query: LiveQuery, errors: { 404: "Not Found" } }, async (ctx, stream, { query }) => {
      const { id } = await this.#member.check(ctx, query.project_id);
      return this.#channels.subscribe(topicOf(id), stream);
    }),
  );

  routes() {
    return [
      ...[this.index, this.create, this.show, this.update, this.delete],
      ...[this.export, this.live, this.liveByQuery],
    ];
  }
}
