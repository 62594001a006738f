import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  type Context,
  type Controller,
  defineModule,
  dto,
  endpoint,
  type Infer,
  type Next,
  type Route,
  type Routes,
  resource,
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

test("a handler annotated for another path does not compile", () => {
  resource("/posts", { index: showAny, show: showPost });
  // @ts-expect-error :id comes from resource() in a handler for one item only
  resource("/posts", { index: showPost, show: showPost });
});

test("a group is a record with children", async () => {
  const guard = (_: Context, next: Next) => next();
  const record: Route = {
    path: "/users/:userId",
    middlewares: [guard],
    children: [
      { method: "GET", path: "/posts/:id", handler: (ctx) => [ctx.param("userId"), ctx.param("id")] },
      { method: "GET", path: "/", handler: (ctx) => ctx.param("userId") },
      {
        path: "/drafts",
        children: [{ method: "GET", path: "/:draft", handler: (ctx) => [ctx.param("userId"), ctx.param("draft")] }],
      },
    ],
  };
  class UsersController {
    routes(): Routes {
      return [record];
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
