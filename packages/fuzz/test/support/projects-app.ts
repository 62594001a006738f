import { randomUUID } from "node:crypto";
import {
  api,
  array,
  type Context,
  dto,
  endpoint,
  HttpError,
  integer,
  type Middleware,
  type Next,
  type Routes,
  string,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { moduleOf } from "../../../core/test/support/transports.ts";

/** What can be left out, each a mistake that real applications have. */
export type Hole =
  | "show"
  | "update"
  | "delete"
  | "exists"
  | "list"
  | "export"
  | "cache"
  | "wrong parent"
  | "body id"
  | "batch"
  | "batch first"
  | "filter"
  | "search"
  | "count"
  | "cursor"
  | "soft delete"
  | "stars"
  | "owner";

interface Row {
  readonly id: string;
  owner_id: string;
  title: string;
  stars: number;
  project_id: string;
  isDeleted: boolean;
}

const Project = dto("Project", {
  id: string("required"),
  owner_id: string("required"),
  title: string("required"),
  stars: integer("required"),
});
const Task = dto("Task", { id: string("required"), title: string("required"), project_id: string("required") });
const Title = dto({ title: string("required", "max=40") });
const TaskInput = dto({ title: string("required", "max=40"), project_id: string("required") });

class Login implements Middleware {
  readonly contract = {
    security: { user: { type: "apiKey", in: "header", name: "x-user" } },
    errors: { 401: "Unauthorized" },
  } as const;

  handle(ctx: Context, next: Next) {
    if (ctx.header("x-user") === "") throw new HttpError(401, "Unauthorized");
    return next();
  }
}

/** Projects with tasks, each of one user, in memory. */
export function createProjectsApp(...open: readonly Hole[]) {
  const holes = new Set(open);
  const projects = new Map<string, Row>();
  const tasks = new Map<string, Row>();
  let cached: Row[] | undefined;
  const user = (ctx: Context) => `user-${ctx.header("x-user")}`;
  const insert = (rows: Map<string, Row>, owner: string, values: Partial<Row>) => {
    const row = { id: randomUUID(), owner_id: owner, title: "", stars: 0, project_id: "", isDeleted: false, ...values };
    rows.set(row.id, row);
    return row;
  };
  const find = (rows: Map<string, Row>, id: string, owner: string | undefined): Row => {
    const row = rows.get(id);
    if (row === undefined || row.isDeleted) throw new HttpError(404, "Not Found");
    if (owner !== undefined && row.owner_id !== owner)
      throw new HttpError(holes.has("exists") ? 403 : 404, "Not Found");
    return row;
  };
  const unless = (hole: Hole, ctx: Context) => (holes.has(hole) ? undefined : user(ctx));
  const own = (rows: Map<string, Row>, owner: string | undefined) =>
    [...rows.values()].filter((row) => !row.isDeleted && (owner === undefined || row.owner_id === owner));
  const id = (ctx: Context) => ctx.param("id" as never) as string;
  const errors = { 403: "Not Found", 404: "Not Found" } as const;

  const routes: Routes = [
    {
      method: "GET",
      path: "/projects",
      handler: endpoint({ operationId: "projects.index", returns: array(Project) }, (ctx) => {
        if (holes.has("cache")) {
          cached ??= own(projects, user(ctx));
          return cached;
        }
        return own(projects, unless("list", ctx));
      }),
    },
    {
      method: "GET",
      path: "/projects/pages",
      handler: endpoint(
        {
          operationId: "projects.pages",
          query: dto({ limit: integer("min=1", "max=50"), cursor: string() }),
          returns: dto({ items: array(Project), next: string("nullable") }),
        },
        (ctx, { query }) => {
          const [owner, start = "0"] = (query.cursor ?? `${user(ctx)}~0`).split("~");
          const rows = own(projects, holes.has("cursor") ? owner : user(ctx));
          const end = Number(start) + (query.limit ?? 10);
          return { items: rows.slice(Number(start), end), next: end < rows.length ? `${owner}~${end}` : null };
        },
      ),
    },
    {
      method: "GET",
      path: "/projects/export",
      handler: endpoint({ operationId: "projects.export", returns: { content: "text/csv" } }, (ctx) =>
        own(projects, unless("export", ctx))
          .map(({ id, title }) => `${id},${title}`)
          .join("\n"),
      ),
    },
    {
      method: "POST",
      path: "/projects",
      handler: endpoint({ operationId: "projects.create", body: Title, returns: { 201: Project } }, (ctx, { body }) => {
        cached = undefined;
        return insert(projects, user(ctx), { title: body.title });
      }),
    },
    {
      method: "GET",
      path: "/projects/search",
      handler: endpoint(
        { operationId: "projects.search", query: dto({ text: string("required") }), returns: array(Project) },
        (ctx, { query }) => own(projects, unless("search", ctx)).filter(({ title }) => title.includes(query.text)),
      ),
    },
    {
      method: "GET",
      path: "/projects/count",
      handler: endpoint({ operationId: "projects.count", returns: dto({ total: integer("required") }) }, (ctx) => ({
        total: own(projects, unless("count", ctx)).length,
      })),
    },
    {
      method: "GET",
      path: "/projects/:id",
      handler: endpoint({ operationId: "projects.show", returns: Project, errors }, (ctx) => {
        if (holes.has("soft delete")) {
          const row = projects.get(id(ctx));
          if (row?.isDeleted === true) return row;
        }
        return find(projects, id(ctx), unless("show", ctx));
      }),
    },
    {
      method: "PATCH",
      path: "/projects/:id",
      handler: endpoint(
        { operationId: "projects.patch", body: Title, returns: Project, errors },
        async (ctx, { body }) => {
          const row = find(projects, id(ctx), unless("update", ctx));
          const raw = JSON.parse(new TextDecoder().decode(await ctx.request().body())) as Partial<Row>;
          row.stars++; // a figure that the server counts up is not set by the body
          row.title = body.title;
          if (holes.has("stars")) row.stars = raw.stars ?? row.stars;
          if (holes.has("owner")) row.owner_id = raw.owner_id ?? row.owner_id;
          return row;
        },
      ),
    },
    {
      method: "DELETE",
      path: "/projects/:id",
      handler: endpoint({ operationId: "projects.delete", returns: { 204: null }, errors }, (ctx) => {
        find(projects, id(ctx), unless("delete", ctx)).isDeleted = true;
      }),
    },
    {
      method: "POST",
      path: "/projects/archive",
      handler: endpoint(
        {
          operationId: "projects.archive",
          body: dto({ ids: array(string(), "required") }),
          returns: { 204: null },
          errors,
        },
        (ctx, { body }) => {
          const [first = "", ...rest] = body.ids;
          const rows = rest.map((one) => find(projects, one, unless("batch", ctx)));
          for (const row of [find(projects, first, unless("batch first", ctx)), ...rows]) row.stars = -1;
        },
      ),
    },
    {
      method: "GET",
      path: "/projects/:project_id/tasks/:id",
      handler: endpoint({ operationId: "tasks.show", returns: Task, errors }, (ctx) => {
        const parent = ctx.param("project_id" as never) as string;
        const project = find(projects, parent, user(ctx));
        const task = find(tasks, id(ctx), unless("wrong parent", ctx));
        if (task.project_id !== project.id && !holes.has("wrong parent")) throw new HttpError(404, "Not Found");
        return task;
      }),
    },
    {
      method: "GET",
      path: "/tasks",
      handler: endpoint(
        { operationId: "tasks.index", query: dto({ project_id: string() }), returns: array(Task) },
        (ctx, { query }) =>
          own(tasks, query.project_id === undefined ? user(ctx) : unless("filter", ctx)).filter(
            (task) => query.project_id === undefined || task.project_id === query.project_id,
          ),
      ),
    },
    {
      method: "POST",
      path: "/tasks",
      handler: endpoint(
        { operationId: "tasks.create", body: TaskInput, returns: { 201: Task }, errors },
        (ctx, { body }) => {
          find(projects, body.project_id, unless("body id", ctx));
          return insert(tasks, user(ctx), body);
        },
      ),
    },
  ];
  const guarded = routes.map((route) => ({ ...route, middlewares: [Login] }));
  return createTestApp(moduleOf(guarded as Routes), api(), { log: { level: "silent" } });
}

export const actors = { alice: { "x-user": "alice" }, bob: { "x-user": "bob" }, guest: null } as const;
