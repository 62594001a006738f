import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context, type Middleware, type Next, type Route, StartError } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { type Call, moduleOf, testOnBothTransports } from "../support/transports.ts";

const text = async (call: Call, method: string, path: string): Promise<unknown> => {
  const response = await call(method, path);
  return response.status === 200 ? response.json() : response.status;
};
const returning = (value: unknown) => () => value;

testOnBothTransports(
  "a route added at run time serves the next request, groups and middlewares included",
  [{ method: "GET", path: "/a", handler: returning("a") }],
  async (call, app) => {
    assert.equal(await text(call, "GET", "/b/c"), 404);
    const shout = async (_: Context, next: Next) => String(await next()).toUpperCase();
    app.routes.add({
      path: "/b",
      middlewares: [shout],
      children: [{ method: "GET", path: "/c", handler: returning("loud") }],
    });
    assert.equal(await text(call, "GET", "/b/c"), "LOUD");
    assert.equal(await text(call, "GET", "/a"), "a");
    app.routes.add([
      { method: "GET", path: "/d", handler: returning("d") },
      { method: "PUT", path: "/d", handler: returning("put d") },
    ]);
    assert.equal(await text(call, "PUT", "/d"), "put d");
  },
);

testOnBothTransports(
  "removing a route at run time keeps its siblings and its other methods (P20)",
  [
    { method: "GET", path: "/users/:id", handler: returning("show") },
    { method: "PUT", path: "/users/:id", handler: returning("update") },
    { method: "GET", path: "/users/:id/posts", handler: returning("posts") },
    { method: "GET", path: "/users", handler: returning("index") },
    { method: "GET", path: "/*", handler: returning("rest") },
  ],
  async (call, app) => {
    assert.equal(await text(call, "GET", "/users/1"), "show");
    app.routes.remove("GET", "/users/:anything");
    assert.equal(await text(call, "GET", "/users/1"), "rest", "the cached resolution is invalidated");
    assert.equal(await text(call, "PUT", "/users/1"), "update");
    assert.equal(await text(call, "GET", "/users/1/posts"), "posts");
    assert.equal(await text(call, "GET", "/users"), "index");
    app.routes.remove("GET", "/*");
    assert.equal(await text(call, "GET", "/users/1"), 404);
    assert.equal(app.routes.list().length, 3);
  },
);

testOnBothTransports(
  "an exact route added after a cached wildcard hit serves the next request (P22)",
  [{ method: "GET", path: "/*", handler: returning("wildcard") }],
  async (call, app) => {
    for (let round = 0; round < 3; round++) assert.equal(await text(call, "GET", "/a/b"), "wildcard");
    app.routes.add({ method: "GET", path: "/a/:x", handler: returning("pattern") });
    assert.equal(await text(call, "GET", "/a/b"), "pattern");
    app.routes.add({ method: "GET", path: "/a/b", handler: returning("exact") });
    assert.equal(await text(call, "GET", "/a/b"), "exact");
    app.routes.remove("GET", "/a/b");
    assert.equal(await text(call, "GET", "/a/b"), "pattern");
  },
);

testOnBothTransports(
  "a route is replaced in one step, also by another path or by several routes",
  [{ method: "GET", path: "/a", handler: returning("old") }],
  async (call, app) => {
    app.routes.replace("GET", "/a", { method: "GET", path: "/a", handler: returning("new") });
    assert.equal(await text(call, "GET", "/a"), "new");
    app.routes.replace("GET", "/a", [
      { method: "GET", path: "/b", handler: returning("b") },
      { method: "GET", path: "/c", handler: returning("c") },
    ]);
    assert.equal(await text(call, "GET", "/a"), 404);
    assert.equal(await text(call, "GET", "/b"), "b");
    assert.equal(await text(call, "GET", "/c"), "c");
  },
);

testOnBothTransports("a request in flight finishes when its route is removed", [], async (call, app) => {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  app.routes.add({
    method: "GET",
    path: "/slow",
    handler: async () => {
      entered.resolve();
      await gate.promise;
      return "slow";
    },
  });
  const body = text(call, "GET", "/slow");
  await entered.promise;
  app.routes.remove("GET", "/slow");
  gate.resolve();
  assert.equal(await body, "slow");
  assert.equal(await text(call, "GET", "/slow"), 404);
});

testOnBothTransports(
  "two hundred changes under concurrent requests leave no stale resolution (P3)",
  [
    { method: "GET", path: "/*", handler: returning(-1) },
    { method: "GET", path: "/version/:x", handler: returning(0) },
  ],
  async (call, app) => {
    let version = 0;
    let done = false;
    const observe = async () => {
      while (!done) {
        const before = version;
        const served = await text(call, "GET", "/version/now");
        assert.ok(typeof served === "number" && served >= before && served <= version, `${before} ≤ ${served}`);
      }
    };
    const observers = Array.from({ length: 4 }, observe);
    for (let change = 1; change <= 200; change++) {
      const route: Route = { method: "GET", path: "/version/:x", handler: returning(change) };
      app.routes.replace("GET", "/version/:y", route);
      version = change;
      if (change % 5 === 0) assert.equal(await text(call, "GET", "/version/now"), change);
    }
    done = true;
    await Promise.all(observers);
  },
  { middlewares: [] },
);

class Guard implements Middleware {
  handle(_: Context, next: Next) {
    return next();
  }
}
const trace = (_: Context, next: Next) => next();

/** An application with one route, for a test of the table alone. */
async function withTable(body: (app: TestHttpApp) => Promise<void> | void): Promise<void> {
  const route: Route = { method: "GET", path: "/users/:id", handler: returning("show"), middlewares: [Guard] };
  const app = await createTestApp(moduleOf([{ path: "/v1", middlewares: [trace], children: [route] }]), api());
  try {
    await body(app);
  } finally {
    await app.stop();
  }
}

test("list() returns method, full path, handler, middlewares from the outside in, and owner", () =>
  withTable((app) => {
    const undeclared = { contract: undefined, guards: [], module: undefined };
    const ownedBy = (owner: string) => ({ owner, controller: owner });
    function health() {
      return "well";
    }
    app.routes.add({ method: "GET", path: "/health", handler: health }, { owner: "monitoring" });
    app.routes.add({ method: "HEAD", path: "/health", handler: () => undefined });
    assert.deepEqual(app.routes.list(), [
      {
        method: "GET",
        path: "/v1/users/:id",
        handler: "(anonymous)",
        middlewares: ["trace", "Guard"],
        owner: 'TestController (module "test")',
        controller: "TestController",
        ...undeclared,
        module: "test",
      },
      { method: "GET", path: "/health", handler: "health", middlewares: [], ...ownedBy("monitoring"), ...undeclared },
      { method: "HEAD", path: "/health", handler: "handler", middlewares: [], ...ownedBy("app.routes"), ...undeclared },
    ]);
  }));

const show = 'GET /v1/users/:id of TestController (module "test")';
const good: Route = { method: "GET", path: "/good", handler: returning("good") };
const notARoute = undefined as unknown as Route; // as plain JavaScript might pass it
const notAMiddleware = {} as unknown as Middleware; // as above
const failures: readonly { title: string; change: (app: TestHttpApp) => void; code: string; text: string }[] = [
  {
    title: "adding a duplicate",
    change: (app) => app.routes.add([good, { method: "GET", path: "/v1/users/:name", handler: returning(1) }]),
    code: "DUPLICATE_ROUTE",
    text: `GET /v1/users/:name of app.routes is already declared by TestController (module "test") as GET /v1/users/:id. Remove one of them or change its path.`,
  },
  {
    title: "adding two of the same",
    change: (app) => app.routes.add([good, good], { owner: "plugin" }),
    code: "DUPLICATE_ROUTE",
    text: "GET /good of plugin is already declared by plugin. Remove one of them or change its path.",
  },
  {
    title: "adding a malformed path",
    change: (app) => app.routes.add([good, { method: "GET", path: "/a*", handler: returning(1) }]),
    code: "BAD_ROUTE",
    text: 'GET /a* of app.routes is malformed: "*" must be the whole last segment, as in "/files/*".',
  },
  {
    title: "adding something that is not a route",
    change: (app) => app.routes.add([good, notARoute]),
    code: "BAD_ROUTE",
    text: "Route 2 of app.routes is undefined, which a misspelt field is, too. Write { method, path, handler }.",
  },
  {
    title: "adding a route with something that is not a middleware",
    change: (app) => app.routes.add([{ ...good, middlewares: [notAMiddleware] }]),
    code: "BAD_MIDDLEWARE",
    text: "GET /good of app.routes lists an object as a middleware. Use a class or an object with handle(ctx, next), or a function.",
  },
  {
    title: "removing an unknown route",
    change: (app) => app.routes.remove("PUT", "/v1/users/:id"),
    code: "UNKNOWN_ROUTE",
    text: "There is no route PUT /v1/users/:id. app.routes.list() shows those in force.",
  },
  {
    title: "removing an unknown command",
    change: (app) => app.routes.remove(undefined, "users/list"),
    code: "UNKNOWN_ROUTE",
    text: "There is no route command users/list. app.routes.list() shows those in force.",
  },
  {
    title: "removing a malformed path",
    change: (app) => app.routes.remove("GET", "/v1//users"),
    code: "BAD_ROUTE",
    text: '/v1//users is malformed: a path has no empty segments ("//").',
  },
  {
    title: "replacing an unknown route",
    change: (app) => app.routes.replace("GET", "/nothing", good),
    code: "UNKNOWN_ROUTE",
    text: "There is no route GET /nothing. app.routes.list() shows those in force.",
  },
  {
    title: "replacing by an invalid route",
    change: (app) => app.routes.replace("GET", "/v1/users/:id", [good, { method: "GET", path: "/x" }]),
    code: "BAD_HANDLER",
    text: "GET /x of app.routes has no handler. Name one, for example handler: this.index, and check the method's spelling.",
  },
];
for (const { title, change, code, text: expected } of failures) {
  test(`${title} throws a StartError and changes nothing`, () =>
    withTable(async (app) => {
      assert.throws(
        () => change(app),
        (error) => {
          assert.ok(error instanceof StartError);
          assert.deepEqual(
            error.problems.map((problem) => [problem.code, problem.message]),
            [[code, expected]],
          );
          return true;
        },
      );
      assert.deepEqual(
        app.routes.list().map(({ method, path, owner }) => `${method} ${path} of ${owner}`),
        [show],
      );
      assert.equal((await app.request("GET", "/good")).status, 404);
      assert.equal((await app.request("GET", "/v1/users/1")).status, 200);
      app.routes.add(good);
      assert.equal((await app.request("GET", "/good")).status, 200, "the table still works");
    }));
}

test("removing a path that is not a string throws and changes nothing", () =>
  withTable(async (app) => {
    const path = undefined as unknown as string; // as plain JavaScript may pass it
    assert.throws(() => app.routes.remove("GET", path), TypeError);
    assert.equal((await app.request("GET", "/v1/users/1")).status, 200);
  }));
