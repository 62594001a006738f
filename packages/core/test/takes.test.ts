import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  type Context,
  type Controller,
  defineModule,
  dto,
  type Infer,
  type Routes,
  resource,
  string,
  takes,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";

const GreetDTO = dto({ name: string("required", "max=20") });
type GreetDTO = Infer<typeof GreetDTO>;

class GreetController implements Controller {
  readonly #greeting = "Hello";

  routes(): Routes {
    return [
      { method: "POST", path: "/greet/:language", handler: takes(GreetDTO, this.greet) },
      { method: "POST", path: "/plain", handler: this.plain },
    ];
  }

  greet(ctx: Context<"/greet/:language">, input: GreetDTO) {
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

test("takes() binds before the handler runs, hands the value over and keeps `this`", () =>
  withApp(async (app) => {
    const response = await app.request("POST", "/greet/en", { json: { name: "Ada", role: "admin" } });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { text: "Hello, Ada!", language: "en" });
  }));

test("takes() answers 400 Invalid request when the body cannot be bound", () =>
  withApp(async (app) => {
    const response = await app.request("POST", "/greet/en", { json: { name: "" } });
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), { error: "Invalid request" });
  }));

test("the route table knows what takes() binds, and the handler's own name", () =>
  withApp(async (app) => {
    assert.deepEqual(
      app.routes.list().map(({ handler, takes }) => [handler, takes]),
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
        create: takes(GreetDTO, this.create),
        update: takes(GreetDTO, this.update),
      }),
    ];
  }

  index() {
    return this.#things;
  }

  create(ctx: Context, { name }: GreetDTO) {
    this.#things.push(name);
    return ctx.status(201).json(this.#things);
  }

  update(ctx: Context<"/things/:id">, { name }: GreetDTO) {
    return this.#things.with(Number(ctx.param("id")), name);
  }
}

test("takes() stands among the handlers of resource(), bound to their controller", async () => {
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
      app.routes.list().map(({ method, path, handler, takes }) => [method, path, handler, takes]),
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
