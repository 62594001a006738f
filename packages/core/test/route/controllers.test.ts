import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule, inject, provide, type Route, type Routes, token } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { startError } from "../support/start-error.ts";
import { moduleOf } from "../support/transports.ts";

test("an object that a factory makes is a controller too", async () => {
  const made = { routes: (): Routes => [{ method: "GET", path: "/made", handler: () => "made" }] };
  const declarations = [provide(token<object>("Made"), () => made)];
  const app = await createTestApp(defineModule({ name: "app", declarations }), api());
  assert.equal(await (await app.request("GET", "/made")).json(), "made");
});

test("a controller without routes(), or one that returns no list, stops the start", async () => {
  class ListController {
    readonly routes: Routes = [];
  }
  class OddController {
    routes() {
      return Promise.resolve([]);
    }
  }
  const { problems } = await startError(defineModule({ name: "app", declarations: [ListController, OddController] }));
  assert.deepEqual(
    problems.map(({ code }) => code),
    ["CONTROLLER_WITHOUT_ROUTES", "BAD_ROUTE"],
  );
});

test("a route that routes() does not return is a warning in development", async () => {
  const log = new LogLines();
  class Forgetful {
    readonly index = route.get("/", () => "index");
    readonly show = route.get("/show", () => "show");
    readonly nested = route.get("/nested", () => "nested");
    routes() {
      return [this.index, { path: "/group", children: [this.nested] }];
    }
  }
  const module = defineModule({ name: "forgetful", declarations: [Forgetful] });
  await (await createTestApp(module, api(), { log: log.options })).stop();
  assert.deepEqual(log.messages("warn"), [
    'show of Forgetful (module "forgetful") is a route that routes() does not return: nothing serves it.',
  ]);
});

test("routes in fields of a class without routes() are reported, unless a controller lists them", async () => {
  class Posts {
    readonly index = route.get("/posts", () => []);
    readonly show = route.get("/posts/:id", (ctx) => ctx.param("id"));
  }
  const error = await startError(defineModule({ name: "app", declarations: [Posts] }));
  assert.equal(
    error.message,
    'Posts (module "app") has routes and no routes() method: nothing serves them. Add routes() { return [this.index, this.show]; }.',
  );
  assert.equal(error.problems[0]?.code, "CONTROLLER_WITHOUT_ROUTES");
  class Listing {
    readonly posts = inject(Posts);
    routes() {
      return [this.posts.show, { path: "/v1", children: [this.posts.index] }];
    }
  }
  const app = await createTestApp(defineModule({ name: "app", declarations: [Posts, Listing] }), api());
  assert.deepEqual(await (await app.request("GET", "/v1/posts")).json(), []);
});

class Guard {
  readonly word = "guarded";
  handle() {
    return this.word;
  }
}
const guarded = (middleware: unknown): Route => ({
  method: "GET",
  path: "/",
  handler: () => "open",
  middlewares: [middleware as never], // most of them no compiler lets pass
});

test("a middleware that is none is reported with the route that lists it", async () => {
  for (const value of [undefined, null, { handel: 1 }, class Gard {}]) {
    const { problems } = await startError(moduleOf([{ path: "/api", children: [guarded(value)] }]));
    assert.equal(problems[0]?.code, "BAD_MIDDLEWARE");
    assert.match(String(problems[0]?.message), /^GET \/api of TestController \(module "test"\) lists /);
  }
});

test("a factory that returns no middleware stops the start: the route would have no guard", async () => {
  class Guard {
    handle = () => "guarded";
  }
  class Posts {
    routes = (): Routes => [guarded(Guard)];
  }
  const guards = new Map<string, Guard>();
  const declarations = [Posts, provide(Guard, () => guards.get("admin") as Guard)];
  const { problems } = await startError(defineModule({ name: "posts", declarations }));
  assert.deepEqual(
    problems.map(({ code }) => code),
    ["BAD_MIDDLEWARE"],
  );
});

test("a bad middleware of the application is reported with the platform", async () => {
  const error = await startError(moduleOf([]), {}, { middlewares: [undefined as never] }); // no compiler let it pass
  assert.match(error.message, /^api\(\) lists undefined as a middleware\./);
});

test("a declared middleware is the declared instance; an undeclared one is made once a module", async () => {
  let made = 0;
  class Counting extends Guard {
    readonly number = ++made;
  }
  const routes: Routes = [guarded(Counting), { ...guarded(Counting), path: "/again" }];
  await createTestApp(moduleOf(routes), api());
  assert.equal(made, 1);
  class ListingController {
    routes(): Routes {
      return routes;
    }
  }
  const app = await createTestApp(defineModule({ name: "app", declarations: [Counting, ListingController] }), api());
  assert.equal(made, 2);
  assert.equal(app.get(Counting).number, 2);
});

test("a route that is added at run time with a bad middleware is refused every time, never served without it", async () => {
  class Needy extends Guard {
    readonly missing = inject(token("Missing"));
  }
  const app = await createTestApp(moduleOf([]), api());
  for (const [middleware, code] of [
    [undefined, "BAD_MIDDLEWARE"],
    [Needy, "UNKNOWN_DEPENDENCY"],
    [Needy, "UNKNOWN_DEPENDENCY"],
  ] as const) {
    assert.throws(
      () => app.routes.add(guarded(middleware)),
      (error: { problems?: readonly { code: string }[] }) => error.problems?.[0]?.code === code,
    );
    assert.equal((await app.request("GET", "/")).status, 404);
  }
  app.routes.add(guarded(Guard));
  assert.equal(await (await app.request("GET", "/")).json(), "guarded");
});
