import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule, inject, provide, type Route, type Routes, token } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { startError } from "../support/start-error.ts";
import { moduleOf } from "../support/transports.ts";

test("whatever has routes() is a controller, by whatever name and however it is made", async () => {
  class Greeter {
    readonly word = "hello";
    routes(): Routes {
      return [{ method: "GET", path: "/greet", handler: this.greet }];
    }
    greet() {
      return this.word;
    }
  }
  const Made = token<object>("Made");
  const made = { word: "made", routes: (): Routes => [{ method: "GET", path: "/made", handler: () => made.word }] };
  const app = await createTestApp(
    defineModule({ name: "app", declarations: [Greeter, provide(Made, () => made)] }),
    api(),
  );
  assert.equal(await (await app.request("GET", "/greet")).json(), "hello");
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

test("routes() that throws is reported beside the other problems, with its error as the cause", async () => {
  const cause = new Error("no table");
  class BrokenController {
    routes(): Routes {
      throw cause;
    }
  }
  class Lonely {
    readonly other = inject(token("Nobody"));
  }
  const error = await startError(defineModule({ name: "app", declarations: [BrokenController, Lonely] }));
  assert.deepEqual(
    error.problems.map((problem) => problem.code),
    ["UNKNOWN_DEPENDENCY", "ROUTES_FAILED"],
  );
  assert.equal(error.cause, cause);
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

test("a middleware is a class, an instance, an object with handle(), or a function", async () => {
  const bare = Object.assign(Object.create(null), { handle: () => "guarded" });
  for (const middleware of [Guard, new Guard(), { handle: () => "guarded" }, bare, () => "guarded"]) {
    const app = await createTestApp(moduleOf([guarded(middleware)]), api());
    assert.equal(await (await app.request("GET", "/")).json(), "guarded");
  }
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

test("routes() that is asynchronous is reported, and its rejection ends nothing else", async () => {
  class Posts {
    async routes(): Promise<Routes> {
      throw new Error("too late");
    }
  }
  const { problems } = await startError(defineModule({ name: "posts", declarations: [Posts] }));
  assert.equal(problems[0]?.code, "BAD_ROUTE");
});

test("a bad middleware of the application is reported with the platform", async () => {
  const error = await startError(moduleOf([]), {}, { middlewares: [undefined as never] }); // no compiler let it pass
  assert.match(error.message, /^api\(\) lists undefined as a middleware\./);
});

test("a middleware class that another module declares and does not export is reported with that module", async () => {
  class PostsController {
    routes(): Routes {
      return [guarded(Guard), { ...guarded(Guard), path: "/again" }];
    }
  }
  const auth = defineModule({ name: "auth", declarations: [Guard] });
  const error = await startError(defineModule({ name: "posts", imports: [auth], declarations: [PostsController] }));
  assert.equal(
    error.message,
    'PostsController (module "posts") needs Guard, which module "auth" declares (PostsController → Guard). Add Guard to the exports of "auth".',
  );
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
