import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  type Context,
  type Controller,
  defineModule,
  dto,
  endpoint,
  group,
  type Infer,
  type Next,
  type Routes,
  resource,
  routes,
  string,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";

class PostsController implements Controller {
  readonly #name = "posts";

  routes(): Routes {
    return [...resource("/posts", this), ...resource("/drafts/", { index: this.index, show: this.show })];
  }

  index() {
    return `index of ${this.#name}`;
  }
  show(ctx: Context<"/posts/:id">) {
    return `show ${ctx.param("id")} of ${this.#name}`;
  }
  create() {
    return `create in ${this.#name}`;
  }
  update(ctx: Context<"/posts/:id">) {
    return `update ${ctx.param("id")} of ${this.#name}`;
  }
  delete(ctx: Context<"/posts/:id">) {
    return `delete ${ctx.param("id")} of ${this.#name}`;
  }
}

test("resource() returns the five conventional routes, bound to their controller", async () => {
  const app = await createTestApp(defineModule({ name: "posts", declarations: [PostsController] }), api());
  const request = async (method: "GET" | "POST" | "PUT" | "DELETE", path: string) =>
    (await app.request(method, path)).json();
  assert.equal(await request("GET", "/posts"), "index of posts");
  assert.equal(await request("GET", "/posts/7"), "show 7 of posts");
  assert.equal(await request("POST", "/posts"), "create in posts");
  assert.equal(await request("PUT", "/posts/7"), "update 7 of posts");
  assert.equal(await request("DELETE", "/posts/7"), "delete 7 of posts");
  await app.stop();
});

test("resource() returns routes only for the handlers that exist, and joins paths without a double slash", async () => {
  const app = await createTestApp(defineModule({ name: "posts", declarations: [PostsController] }), api());
  const drafts = app.routes.list().filter(({ path }) => path.startsWith("/drafts"));
  assert.deepEqual(
    drafts.map(({ method, path, handler }) => [method, path, handler]),
    [
      ["GET", "/drafts", "index"],
      ["GET", "/drafts/:id", "show"],
    ],
  );
  await app.stop();
});

test("resource() puts its middlewares on each of its routes", () => {
  const guard = (_: Context, next: Next) => next();
  const list = resource("/posts", { index: () => 1, show: () => 2 }, { middlewares: [guard] });
  assert.deepEqual(
    list.map(({ path, middlewares }) => [path, middlewares]),
    [
      ["/posts", [guard]],
      ["/posts/:id", [guard]],
    ],
  );
});

test("resource() at the root has the root's path", () => {
  assert.deepEqual(
    resource("/", { index: () => 1, show: () => 2 }).map(({ path }) => path),
    ["/", "/:id"],
  );
});

const showPost = (ctx: Context<"/posts/:id">) => ctx.param("id");
const showAny = (ctx: Context) => ctx.param("anything");

test("routes() returns its list unchanged", () => {
  const list = [{ method: "GET", path: "/posts/:id", handler: showPost }] as const;
  assert.equal(routes(list), list);
});

test("an inline handler knows the parameters of its path", () => {
  routes([
    { method: "GET", path: "/posts/:id", handler: (ctx) => ctx.param("id") },
    { method: "GET", path: "/files/:bucket/*", handler: (ctx) => [ctx.param("bucket"), ctx.param("*"), ctx.rest()] },
    // @ts-expect-error "nmae" is not in the path
    { method: "GET", path: "/users/:name", handler: (ctx) => ctx.param("nmae") },
    // @ts-expect-error the path has no parameters
    { method: "GET", path: "/users", handler: (ctx) => ctx.param("id") },
    { path: "posts/show/:id", handler: (ctx) => ctx.param("id") },
  ]);
});

test("a handler annotated for another path does not compile", () => {
  routes([
    { method: "GET", path: "/posts/:id", handler: showPost },
    { method: "GET", path: "/users/:userId/posts/:id", handler: showPost },
    { method: "GET", path: "/users/:userId", handler: showAny },
    // @ts-expect-error the path has no :id
    { method: "GET", path: "/users/:userId", handler: showPost },
    // @ts-expect-error the path has no parameters
    { method: "GET", path: "/posts", handler: showPost },
  ]);
  // @ts-expect-error :id comes from resource() in a handler for one item only
  resource("/posts", { index: showPost, show: showPost });
});

test("endpoint() keeps the path that its handler is annotated for", () => {
  const Input = dto({ title: string("required") });
  routes([
    {
      method: "PUT",
      path: "/posts/:id",
      handler: endpoint({ body: Input }, (ctx, { body }) => [ctx.param("id"), body.title]),
    },
    { method: "PUT", path: "/drafts/:id", handler: endpoint({ body: Input }, showPost) },
    // @ts-expect-error the path has no :id
    { method: "PUT", path: "/users/:userId", handler: endpoint({ body: Input }, showPost) },
  ]);
});

test("lists from resource() and spread lists fit into routes()", () => {
  const more: Routes = [{ method: "GET", path: "/more/:x", handler: (ctx) => ctx.param("anything") }];
  const list = routes([
    ...resource("/posts", { show: showPost }),
    { method: "GET", path: "/users/:userId", handler: (ctx) => ctx.param("userId") },
    ...more,
  ]);
  assert.deepEqual(
    list.map(({ path }) => path),
    ["/posts/:id", "/users/:userId", "/more/:x"],
  );
});

test("group() returns a plain record, and its handlers know the parameters of the prefix", async () => {
  const guard = (_: Context, next: Next) => next();
  const record = group(
    "/users/:userId",
    [
      { method: "GET", path: "/posts/:id", handler: (ctx) => [ctx.param("userId"), ctx.param("id")] },
      { method: "GET", path: "/", handler: (ctx) => ctx.param("userId") },
      // @ts-expect-error neither the group nor the route has :name
      { method: "POST", path: "/posts", handler: (ctx) => ctx.param("name") },
      group("/drafts", [
        { method: "GET", path: "/:draft", handler: (ctx: Context) => [ctx.param("userId"), ctx.param("draft")] },
        { method: "DELETE", path: "/:draft", handler: (ctx) => ctx.param("draft") },
        // @ts-expect-error a nested group knows the parameters of its own prefix only
        { method: "PUT", path: "/:draft", handler: (ctx) => ctx.param("userId") },
      ]),
    ],
    { middlewares: [guard] },
  );
  assert.deepEqual(Object.keys(record), ["path", "middlewares", "children"]);
  class UsersController {
    routes() {
      return routes([record]);
    }
  }
  const app = await createTestApp(defineModule({ name: "users", declarations: [UsersController] }), api());
  assert.deepEqual(await (await app.request("GET", "/users/7/posts/9")).json(), ["7", "9"]);
  assert.deepEqual(await (await app.request("GET", "/users/7/drafts/2")).json(), ["7", "2"]);
  assert.equal(await (await app.request("GET", "/users/7")).json(), "7");
  assert.deepEqual(app.routes.list()[0]?.middlewares, ["guard"]);
  await app.stop();
});

const GreetDTO = dto({ name: string("required", "max=20") });
type GreetDTO = Infer<typeof GreetDTO>;

class GreetController implements Controller {
  readonly #greeting = "Hello";

  routes(): Routes {
    return [
      { method: "POST", path: "/greet/:language", handler: endpoint({ body: GreetDTO }, this.greet) },
      { method: "POST", path: "/plain", handler: this.plain },
    ];
  }

  greet(ctx: Context<"/greet/:language">, { body: input }: { body: GreetDTO }) {
    return { text: `${this.#greeting}, ${input.name}!`, language: ctx.param("language") };
  }

  plain() {
    return "plain";
  }
}

async function withApp(body: (app: Awaited<ReturnType<typeof createTestApp>>) => Promise<void>): Promise<void> {
  const app = await createTestApp(defineModule({ name: "greet", declarations: [GreetController] }), api());
  try {
    await body(app);
  } finally {
    await app.stop();
  }
}

test("endpoint() binds before the handler runs, passes the value and keeps `this`", () =>
  withApp(async (app) => {
    const response = await app.request("POST", "/greet/en", { json: { name: "Ada", role: "admin" } });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { text: "Hello, Ada!", language: "en" });
  }));

test("endpoint() responds 400 Invalid request when the body cannot be bound", () =>
  withApp(async (app) => {
    const response = await app.request("POST", "/greet/en", { json: { name: "" } });
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), { error: "Invalid request" });
  }));

test("the route table lists the contracts of endpoint(), and the handler's own name", () =>
  withApp(async (app) => {
    assert.deepEqual(
      app.routes.list().map(({ handler, contract }) => [handler, contract?.body]),
      [
        ["greet", GreetDTO],
        ["plain", undefined],
      ],
    );
  }));

class ThingsController implements Controller {
  readonly #things: string[] = ["lamp"];

  routes(): Routes {
    return [
      ...resource("/things", {
        index: this.index,
        create: endpoint({ body: GreetDTO }, this.create),
        update: endpoint({ body: GreetDTO }, this.update),
      }),
    ];
  }

  index() {
    return this.#things;
  }

  create(ctx: Context, { body: { name } }: { body: GreetDTO }) {
    this.#things.push(name);
    return ctx.status(201).json(this.#things);
  }

  update(ctx: Context<"/things/:id">, { body: { name } }: { body: GreetDTO }) {
    return this.#things.with(Number(ctx.param("id")), name);
  }
}

test("endpoint() wraps handlers of resource(), bound to their controller", async () => {
  const app = await createTestApp(defineModule({ name: "things", declarations: [ThingsController] }), api());
  try {
    const created = await app.request("POST", "/things", { json: { name: "desk" } });
    assert.deepEqual([created.status, await created.json()], [201, ["lamp", "desk"]]);
    assert.deepEqual(await (await app.request("PUT", "/things/0", { json: { name: "vase" } })).json(), [
      "vase",
      "desk",
    ]);
    assert.deepEqual(await (await app.request("GET", "/things")).json(), ["lamp", "desk"]);
    assert.equal((await app.request("POST", "/things", { json: {} })).status, 400);
    assert.deepEqual(
      app.routes.list().map(({ method, path, handler, contract }) => [method, path, handler, contract?.body]),
      [
        ["GET", "/things", "index", undefined],
        ["POST", "/things", "create", GreetDTO],
        ["PUT", "/things/:id", "update", GreetDTO],
      ],
    );
  } finally {
    await app.stop();
  }
});
