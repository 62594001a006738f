import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context, defineModule, inject, provide, type Route, type Routes, route, token } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { startError, startText } from "../support/start-error.ts";
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

test("routes() that returns no list is reported with what it returned", async () => {
  const results: readonly [value: unknown, text: string][] = [
    [undefined, "undefined"],
    [{ path: "/" }, "an object"],
    ["/", 'the text "/"'],
    [Promise.resolve([]), "an object (Promise)"],
    [Promise.reject(new Error("never unhandled")), "an object (Promise)"],
  ];
  for (const [value, text] of results) {
    class OddController {
      routes() {
        return value;
      }
    }
    const error = await startError(defineModule({ name: "app", declarations: [OddController] }));
    assert.equal(
      error.message,
      `routes() of OddController (module "app") returned ${text}. Return a list of routes: [this.index, this.show].`,
    );
    assert.equal(error.problems[0]?.code, "BAD_ROUTE");
  }
});

test("routes that are no method are reported as missing", async () => {
  class ListController {
    readonly routes: Routes = [];
  }
  assert.equal(
    await startText(ListController),
    'ListController (module "app") has no routes() method. Add routes() { return [this.index]; }, or give it another name if it is not a controller.',
  );
});

test("Routes() instead of routes() stops the start, whatever the class is called", async () => {
  class Greeter {
    Routes(): Routes {
      return [{ method: "GET", path: "/greet", handler: () => "hello" }];
    }
  }
  class PostsController extends Greeter {}
  const Made = token<object>("Made");
  const error = await startError(
    defineModule({
      name: "app",
      declarations: [Greeter, PostsController, provide(Made, () => ({ Routes: () => [] }))],
    }),
  );
  assert.deepEqual(
    error.problems,
    ["Greeter", "PostsController", "Made"].map((name) => ({
      code: "CONTROLLER_WITHOUT_ROUTES",
      message: `${name} (module "app") has Routes(), which nothing calls. Write routes().`,
    })),
  );
});

test("a class that has routes() may have Routes as well, and one may have Routes that is not a method", async () => {
  class Both {
    routes(): Routes {
      return this.Routes();
    }
    Routes(): Routes {
      return [{ method: "GET", path: "/both", handler: () => "both" }];
    }
  }
  class Atlas {
    readonly Routes = ["A1"];
  }
  const app = await createTestApp(defineModule({ name: "app", declarations: [Both, Atlas] }), api());
  assert.equal(await (await app.request("GET", "/both")).json(), "both");
});

test("a handler that was called instead of named is reported with what it returned", async () => {
  const results: readonly [value: unknown, text: string][] = [
    [[], "a list"],
    [Promise.resolve("posts"), "an object (Promise)"],
    [Promise.reject(new Error("never unhandled")), "an object (Promise)"],
  ];
  for (const [value, text] of results) {
    const route = { method: "GET", path: "/", handler: value as never } as const; // no compiler let it pass
    const error = await startError(moduleOf([route]));
    assert.equal(
      error.message,
      `The handler of GET / of TestController (module "test") is ${text}, not a function. Name the method and do not call it: handler: this.index.`,
    );
    assert.equal(error.problems[0]?.code, "BAD_HANDLER");
  }
});

test("a handler that is called in routes() and finds no context is reported with the cure", async () => {
  class PostsController {
    routes(): Routes {
      return [{ method: "GET", path: "/:id", handler: this.show(undefined as never) as never }]; // likewise
    }
    show(ctx: Context) {
      return ctx.param("id");
    }
  }
  const { message, problems } = await startError(defineModule({ name: "app", declarations: [PostsController] }));
  assert.match(
    message,
    /^routes\(\) of PostsController .+ A route names its handler and does not call it: handler: this\.index\.$/,
  );
  assert.equal(problems[0]?.code, "ROUTES_FAILED");
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
  for (const middleware of [Guard, new Guard(), { handle: () => "guarded" }, () => "guarded"]) {
    const app = await createTestApp(moduleOf([guarded(middleware)]), api());
    assert.equal(await (await app.request("GET", "/")).json(), "guarded");
  }
});

test("an object without a prototype may be a middleware", async () => {
  const bare = Object.assign(Object.create(null), { handle: () => "guarded" });
  const app = await createTestApp(moduleOf([guarded(bare)]), api());
  assert.equal(await (await app.request("GET", "/")).json(), "guarded");
});

test("a middleware that is none is reported with the route that lists it", async () => {
  const wrong: readonly [value: unknown, text: string][] = [
    [
      undefined,
      "undefined as a middleware. Check its spelling. Most often two files import each other: move what both need into a third file.",
    ],
    [null, "null as a middleware. Use a class or an object with handle(ctx, next), or a function."],
    [{ handel: 1 }, "an object as a middleware. Use a class or an object with handle(ctx, next), or a function."],
    [class Gard {}, "the class Gard as a middleware. Give it a method handle(ctx, next)."],
  ];
  for (const [value, text] of wrong) {
    const error = await startError(moduleOf([{ path: "/api", children: [guarded(value)] }]));
    assert.equal(error.message, `GET /api of TestController (module "test") lists ${text}`);
    assert.equal(error.problems[0]?.code, "BAD_MIDDLEWARE");
  }
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
    'PostsController (module "posts") needs Guard, which module "auth" declares but does not export (PostsController → Guard). Add Guard to the exports of "auth".',
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
