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
