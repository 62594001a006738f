import {
  array,
  boolean,
  type Context,
  date,
  defineModule,
  dto,
  endpoint,
  file,
  integer,
  json,
  literal,
  type MiddlewareFunction,
  nested,
  number,
  type Routes,
  record,
  string,
  timestamp,
  union,
} from "@tenon/core";
import { bodyLimit, rateLimit } from "@tenon/core/middleware";
import { z } from "zod";

const Author = dto("Author", {
  name: string("required", "trim", "max=80").describe("As it is printed.").example("Ada"),
  email: string("email", "nullable"),
});

/** A field of every kind. What is sent and what is returned differ, because of the defaults. */
export const Everything = dto("Everything", {
  id: string("required", "uuid"),
  title: string("required", "min=3", "max=200", "pattern=^[A-Z]"),
  slug: string("len=8"),
  state: string("oneof=draft published", "default=draft"),
  url: string("url"),
  rank: number("min=0", "max=1", "nullable"),
  count: integer("required", "min=1"),
  hidden: boolean("default=false"),
  day: date("required"),
  created_at: timestamp("required"),
  size: literal(["small", "large", 3]),
  tags: array(string("min=1"), "max=10"),
  authors: array(Author, "required"),
  editor: nested(Author, "nullable").describe("The last one to change it."),
  scores: record(integer()),
  data: json(),
  shape: union("kind", { circle: dto("Circle", { radius: number("required") }), square: dto({ side: number() }) }),
});

const Search = dto({
  q: string("required").describe("Words of the title.").example("hello"),
  page: integer("min=1", "default=1"),
  tags: array(string()),
  only: boolean(),
});

const Conflict = dto("Conflict", { error: string("required"), id: string("required") });

/** Recursive, with definitions of its own. */
const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});

export const guard: MiddlewareFunction = Object.assign((_ctx: Context, next: () => unknown) => next(), {
  contract: {
    security: { bearer: { type: "http", scheme: "bearer" } },
    errors: { 401: ["Missing token", "Invalid token"] },
  } as const,
});

const keyOrSession: MiddlewareFunction = Object.assign((_ctx: Context, next: () => unknown) => next(), {
  contract: {
    security: {
      key: { type: "apiKey", in: "header", name: "X-API-Key" },
      session: { type: "apiKey", in: "cookie", name: "session" },
    },
    optional: true,
    errors: { 401: "Invalid key", 403: "Forbidden" },
  } as const,
});

class EverythingController {
  routes(): Routes {
    return [
      { method: "GET", path: "/things", handler: this.search },
      { method: "POST", path: "/things", handler: this.create, middlewares: [guard, bodyLimit(1000)] },
      { method: "GET", path: "/things/:id", handler: this.show, middlewares: [keyOrSession] },
      { method: "PUT", path: "/things/:thing", handler: this.replace, middlewares: [guard, keyOrSession] },
      { method: "DELETE", path: "/things/:id", handler: this.remove, middlewares: [guard] },
      { method: "HEAD", path: "/exists/:id", handler: this.exists },
      { method: "POST", path: "/things/:id/picture", handler: this.upload },
      { method: "POST", path: "/subscriptions", handler: this.subscribe },
      { method: "POST", path: "/rows", handler: this.importRows },
      { method: "GET", path: "/rows", handler: this.exportRows, middlewares: [rateLimit({ limit: 5, window: 60 })] },
      { method: "GET", path: "/events", handler: this.events },
      { method: "PATCH", path: "/trees", handler: this.tree },
      { method: "GET", path: "/files/*", handler: this.download },
      { method: "GET", path: "/plain/:id", handler: (ctx) => ctx.param("id"), middlewares: [guard] },
    ];
  }

  readonly search = endpoint(
    { summary: "Search things", tags: ["search"], query: Search, returns: array(Everything) },
    () => [],
  );
  readonly create = endpoint(
    {
      summary: "Create a thing",
      body: Everything,
      returns: { 201: Everything },
      errors: { 409: Conflict, 401: Conflict },
    },
    () => new Response(null, { status: 201 }) as never,
  );
  readonly show = endpoint(
    {
      params: dto({ id: string("required", "uuid").describe("Of the thing.") }),
      headers: dto({ "if-none-match": string(), accept: string(), "x-tenant": string("required") }),
      returns: { 200: Everything, 304: null },
      errors: { 404: ["Thing not found", "Thing is gone"] },
    },
    (ctx) => ctx.fail(404, "Thing not found"),
  );
  readonly replace = endpoint({ body: { optional: Everything }, returns: { 204: null } }, () => undefined);
  readonly remove = endpoint({ deprecated: true, description: "Use `PUT`.", returns: { 204: null } }, () => undefined);
  readonly exists = endpoint({ returns: Author, errors: { 404: "Not Found" } }, (ctx) => ctx.fail(404));
  readonly upload = endpoint(
    { body: { form: dto({ picture: file("required", "type=image/png"), alt: string() }) }, returns: { 204: null } },
    () => undefined,
  );
  readonly subscribe = endpoint(
    { body: { form: dto("Subscription", { email: string("required", "email") }) }, returns: { 202: null } },
    () => undefined,
  );
  readonly importRows = endpoint({ body: { content: ["text/csv", "application/zip"] }, returns: integer() }, () => 1);
  readonly exportRows = endpoint({ returns: { content: "text/csv" } }, () => "a,b");
  readonly events = endpoint({ returns: { content: "text/event-stream" } }, () => "data: 1\n\n");
  readonly tree = endpoint({ body: Tree, returns: Tree }, (_ctx, { body }) => body);
  download(ctx: Context): unknown {
    return ctx.rest();
  }
}

/** An application that uses every kind of field, body, error, guard and content. */
export const everyKind = defineModule({ name: "things", declarations: [EverythingController] });
