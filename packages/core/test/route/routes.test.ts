import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  type Context,
  defineModule,
  dto,
  endpoint,
  integer,
  type Middleware,
  type MiddlewareContract,
  type Next,
  type Route,
  type Routes,
  resource,
  route,
  string,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { startError } from "../support/start-error.ts";
import { moduleOf } from "../support/transports.ts";

declare module "@tenon/core" {
  interface GuardValues {
    reader: string;
  }
}

const handler = () => "here";
const named = (name: string) =>
  Object.defineProperty((_: Context, next: Next): unknown => next(), "name", { value: name });

/** The routes in force as `METHOD path [middlewares]`. */
async function listOf(routes: Routes): Promise<string[]> {
  const app = await createTestApp(moduleOf(routes), api());
  try {
    return app.routes.list().map(({ method, path, middlewares }) => `${method} ${path} [${middlewares.join(" ")}]`);
  } finally {
    await app.stop();
  }
}

test("a group's path comes before its children's, and its middlewares before theirs", async () => {
  const routes: Routes = [
    {
      path: "/admin",
      middlewares: [named("first"), named("second")],
      children: [
        { method: "GET", path: "/", handler },
        { method: "GET", path: "/users", handler, middlewares: [named("third")] },
        { path: "/deep", middlewares: [named("inner")], children: [{ method: "POST", path: "/er", handler }] },
      ],
    },
    { method: "GET", path: "/open", handler },
  ];
  assert.deepEqual(await listOf(routes), [
    "GET /admin [first second]",
    "GET /admin/users [first second third]",
    "POST /admin/deep/er [first second inner]",
    "GET /open []",
  ]);
});

test("paths join with one slash, whether or not they begin or end with it (P21)", async () => {
  const child = (path: string): Route => ({ path, children: [{ method: "GET", path: "/x", handler }] });
  const routes: Routes = [
    { path: "/a/", children: [child("/v1/"), child("v2")] },
    { path: "/c", children: [child("")] },
    { path: "/", children: [child("/d")] },
    { method: "GET", path: "e", handler },
    { method: "GET", path: "", handler },
  ];
  const paths = ["/a/v1/x", "/a/v2/x", "/c/x", "/d/x", "/e", "/"];
  assert.deepEqual(
    await listOf(routes),
    paths.map((path) => `GET ${path} []`),
  );
});

test("a record with a method and children is a route and a group, and one group may be in two places", async () => {
  const shared: Route = {
    method: "GET",
    path: "/users",
    handler,
    middlewares: [named("guard")],
    children: [{ method: "GET", path: "/:id", handler }],
  };
  const versions: Routes = ["/v1", "/v2"].map((path) => ({ path, children: [shared] }));
  assert.deepEqual(await listOf([{ path: "/api", children: versions }]), [
    "GET /api/v1/users [guard]",
    "GET /api/v1/users/:id [guard]",
    "GET /api/v2/users [guard]",
    "GET /api/v2/users/:id [guard]",
  ]);
});

test("resource() has the five conventional routes, or those whose handlers exist, each behind its middlewares", () => {
  const guard = named("guard");
  const forms = (routes: Routes) => routes.map(({ method, path }) => `${method} ${path}`);
  const all = { index: handler, show: handler, create: handler, update: handler, delete: handler };
  const conventions = ["GET /posts", "GET /posts/:id", "POST /posts", "PUT /posts/:id", "DELETE /posts/:id"];
  assert.deepEqual(forms(resource("/posts", all)), conventions);
  assert.deepEqual(forms(resource("/drafts/", { show: handler, index: handler })), ["GET /drafts", "GET /drafts/:id"]);
  assert.deepEqual(forms(resource("/", { index: handler, show: handler })), ["GET /", "GET /:id"]);
  const guarded = resource("/posts", { index: handler }, { middlewares: [guard] });
  assert.deepEqual(guarded[0]?.middlewares, [guard]);
});

test("a handler annotated for another path does not compile", () => {
  const showPost = (ctx: Context<"/posts/:id">) => ctx.param("id");
  const showAny = (ctx: Context) => ctx.param("anything");
  resource("/posts", { index: showAny, show: showPost });
  // @ts-expect-error :id comes from resource() in a handler for one item only
  resource("/posts", { index: showPost, show: showPost });
});

const Post = dto("Post", { id: string("required"), title: string("required") });
const Page = dto({ limit: integer("default=10") });

class Visitors implements Middleware {
  readonly contract: MiddlewareContract<"reader"> = { sets: ["reader"], errors: { 401: "Who are you?" } };

  handle(ctx: Context, next: Next) {
    ctx.set("reader", ctx.header("visitor"));
    return next();
  }
}

const inPost = route.under("/posts/:postId", {
  middlewares: [Visitors],
  tags: ["Comments"],
  errors: { 404: "No post" },
});
const inComment = inPost.under("comments/:id", { errors: { 409: ["taken", "closed"] } });

class PostsController {
  readonly #posts = new Map([["1", { id: "1", title: "First" }]]);

  readonly index = route.get("/posts", { query: Page, returns: array(Post) }, (_, { query }) =>
    [...this.#posts.values()].slice(0, query.limit),
  );
  readonly show = route.get("/posts/:id", { returns: Post, errors: { 404: "Post not found" } }, async (ctx) => {
    return this.#posts.get(ctx.param("id")) ?? ctx.fail(404);
  });
  readonly create = route.post(
    "/posts",
    { middlewares: [Visitors], body: Post, returns: { 201: Post } },
    (ctx, input) => {
      const visitor: string = ctx.get("reader");
      return { ...input.body, title: `${input.body.title} by ${visitor}` };
    },
  );
  readonly plain = route.get("/plain/:name", (ctx) => `plain ${ctx.param("name")}`);
  readonly remark = inComment.put("/", { returns: Post }, (ctx) => {
    if (ctx.param("postId") === "0") return ctx.fail(404);
    if (ctx.param("id") === "0") return ctx.fail(409, "closed");
    const visitor: string = ctx.get("reader");
    return { id: ctx.param("id"), title: `${visitor} on ${ctx.param("postId")}` };
  });
  readonly twice = route.get("/also/:id", { operationId: "posts.again", returns: Post }, (ctx) => ({
    id: ctx.param("id"),
    title: "again",
  }));
  readonly rename = endpoint({ body: dto({ title: string("required") }) }, this.#rename);
  readonly list = route.command("posts/list/:count", { summary: "Posts" }, (ctx) => `${ctx.param("count")} posts`);
  readonly written = endpoint({ returns: Post }, () => ({ id: "1", title: "Hi", ...{ password: "secret" } }));
  readonly documented = route.get("/documented", { summary: "A post" }, this.written);

  routes(): Routes {
    const { index, show, create, plain, remark, twice, list, documented } = this;
    return [
      ...[index, show, create, plain, remark, twice, list, documented],
      ...resource("/drafts", { index: this.drafts, update: this.rename }),
    ];
  }

  drafts() {
    return [...this.#posts.keys()];
  }

  #rename(ctx: Context<"/drafts/:id">, { body }: { body: { title: string } }) {
    return `${ctx.param("id")} ${body.title} of ${this.#posts.size}`;
  }
}

const PostsModule = defineModule({ name: "posts", declarations: [PostsController, Visitors] });

test("declared routes are plain records", () => {
  assert.deepEqual(Object.keys(route.get("/posts/:id", (ctx) => ctx.param("id"))), ["method", "path", "handler"]);
  const { method, path, middlewares } = inComment.delete("", { returns: { 204: null } }, () => undefined);
  assert.deepEqual([method, path, middlewares], ["DELETE", "/posts/:postId/comments/:id", [Visitors]]);
  const words = route.under("posts").command("list", () => "");
  assert.deepEqual([words.method, words.path], [undefined, "posts/list"]);
  const names = ["get", "post", "put", "patch", "delete", "head", "options"] as const;
  assert.deepEqual(
    names.map((name) => route[name as "get"]("/", () => "").method),
    ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"],
  );
});

test("declared routes and endpoints bind, select, fail, are guarded and keep `this`", async () => {
  const app = await createTestApp(PostsModule, api());
  const call = async (...[method, path, options]: Parameters<typeof app.request>) => {
    const response = await app.request(method, path, options);
    return [response.status, await response.json()];
  };
  assert.deepEqual(await call("GET", "/posts?limit=1"), [200, [{ id: "1", title: "First" }]]);
  assert.deepEqual(await call("GET", "/posts/1"), [200, { id: "1", title: "First" }]);
  assert.deepEqual(await call("GET", "/posts/2"), [404, { error: "Post not found" }]);
  const headers = { visitor: "Ada" };
  const json = { id: "2", title: "Second" };
  assert.deepEqual(await call("POST", "/posts", { json, headers }), [201, { id: "2", title: "Second by Ada" }]);
  assert.deepEqual(await call("GET", "/plain/x"), [200, "plain x"]);
  assert.deepEqual(await call("PUT", "/posts/0/comments/1", { headers }), [404, { error: "No post" }]);
  assert.deepEqual(await call("PUT", "/posts/1/comments/0", { headers }), [409, { error: "closed" }]);
  assert.deepEqual(await call("PUT", "/posts/1/comments/7", { headers }), [200, { id: "7", title: "Ada on 1" }]);
  assert.deepEqual(await call("GET", "/drafts"), [200, ["1"]]);
  assert.deepEqual(await call("PUT", "/drafts/7", { json }), [200, "7 Second of 1"]);
  assert.deepEqual(await call("PUT", "/drafts/7", { json: {} }), [400, { error: "Invalid request" }]);
  assert.deepEqual(await call("GET", "/documented"), [200, { id: "1", title: "Hi" }], "of the contract within");
  await app.stop();
});

test("routes have the names of their fields or methods, in lists, documents and logs", async () => {
  const app = await createTestApp(PostsModule, api());
  const names = app.routes.list().map(({ handler: name, controller }) => `${controller}.${name}`);
  const fields = ["index", "show", "create", "plain", "remark", "twice", "documented", "drafts", "rename"];
  assert.deepEqual(
    names,
    fields.map((field) => `PostsController.${field}`),
  );
  const { paths } = (await app.openapi()) as unknown as {
    paths: Record<string, Record<string, { operationId: string; summary: string; tags: string[]; responses: object }>>;
  };
  assert.equal(paths["/posts/{id}"]?.get?.operationId, "posts.show");
  assert.equal(paths["/also/{id}"]?.get?.operationId, "posts.again");
  assert.equal(paths["/documented"]?.get?.summary, "A post");
  const remark = paths["/posts/{postId}/comments/{id}"]?.put;
  assert.deepEqual(remark?.tags, ["Comments"]);
  assert.deepEqual(Object.keys(remark?.responses ?? {}), ["200", "401", "404", "409"]);
  await app.stop();
});

test("declared response headers and cookies are documented, and a required one is checked", async () => {
  const responds = {
    headers: { link: "The pages", "x-count": integer("required") },
    cookies: { seen: "The last visit" },
  };
  const index = route.get("/", { returns: Post, responds }, (ctx) => {
    if (ctx.query("count") !== "") ctx.response().setHeader("x-count", ctx.query("count"));
    return { id: "1", title: "First" };
  });
  const app = await createTestApp(moduleOf([index]), api());
  const document = (await app.openapi()) as unknown as {
    paths: Record<string, { get: { responses: Record<string, { headers: unknown }> } }>;
  };
  assert.deepEqual(document.paths["/"]?.get.responses[200]?.headers, {
    link: { description: "The pages", schema: { type: "string" } },
    "x-count": { required: true, schema: { type: "integer" } },
    "set-cookie": { description: "`seen`: The last visit", schema: { type: "string" } },
  });
  assert.equal((await app.request("GET", "/?count=2")).status, 200);
  await assert.rejects(app.request("GET", "/"), /GET \/ declares the header x-count, which its response does not have/);
  await app.stop();
});

/** A record that TypeScript would refuse, as plain JavaScript would write it. */
const broken = (record: unknown) => record as Route;

const problems: readonly [code: string, route: Route][] = [
  ["BAD_HANDLER", { method: "GET", path: "/a" }],
  ["BAD_HANDLER", broken({ method: "GET", path: "/a", handler: Promise.resolve("called") })],
  ["BAD_ROUTE", { path: "posts list", handler }],
  ["BAD_ROUTE", { method: "GET", path: "/a/*/b", handler }],
  ["BAD_ROUTE", { path: "/files/*", children: [{ method: "GET", path: "/x", handler }] }],
  ["BAD_ROUTE", { path: "/users/:id", children: [{ method: "GET", path: "/posts/:id", handler }] }],
  ["BAD_ROUTE", { path: "/a", children: [{ method: "GET", path: "//b", handler }] }],
  ["BAD_ROUTE", { method: "GET", path: "/posts/{id}", handler }],
  ["BAD_ROUTE", broken({ method: "GET", path: "/a", handler, middleware: [named("guard")] })],
  ["BAD_ROUTE", { path: "/a", children: [broken({ method: "GET", path: "/b", handlr: handler, guards: [] })] }],
];
for (const [code, record] of problems) {
  test(`${code} stops the start: ${JSON.stringify(record)}`, async () => {
    const error = await startError(moduleOf([record]));
    assert.deepEqual(
      error.problems.map((problem) => problem.code),
      [code],
    );
  });
}

test("lists that are none are refused by plain JavaScript too: no guard is lost", async () => {
  for (const record of [
    { path: "/a", children: {} },
    { method: "GET", path: "/a", handler, middlewares: handler },
  ]) {
    await assert.rejects(createTestApp(moduleOf([broken(record)]), api()), TypeError);
  }
});
