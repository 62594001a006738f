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
    const undeclared = {
      contract: undefined,
      body: undefined,
      returns: {},
      middlewareContracts: [],
      secured: false,
      module: undefined,
    };
    function health() {
      return "well";
    }
    app.routes.add({ method: "GET", path: "/health", handler: health }, { owner: "monitoring" });
    assert.deepEqual(app.routes.list(), [
      {
        method: "GET",
        path: "/v1/users/:id",
        handler: "(anonymous)",
        middlewares: ["trace", "Guard"],
        owner: 'TestController (module "test")',
        controller: "TestController",
        operationId: undefined,
        ...undeclared,
        module: "test",
      },
      {
        method: "GET",
        path: "/health",
        handler: "health",
        middlewares: [],
        owner: "monitoring",
        controller: "monitoring",
        operationId: "monitoring.health",
        ...undeclared,
      },
    ]);
  }));

const show = 'GET /v1/users/:id of TestController (module "test")';
const good: Route = { method: "GET", path: "/good", handler: returning("good") };
const notAMiddleware = {} as unknown as Middleware; // as plain JavaScript might pass it
const failures: readonly [title: string, code: string, change: (app: TestHttpApp) => void][] = [
  [
    "adding a duplicate",
    "DUPLICATE_ROUTE",
    (app) => app.routes.add([good, { method: "GET", path: "/v1/users/:name", handler: returning(1) }]),
  ],
  ["adding two of the same", "DUPLICATE_ROUTE", (app) => app.routes.add([good, good], { owner: "plugin" })],
  [
    "adding a malformed path",
    "BAD_ROUTE",
    (app) => app.routes.add([good, { method: "GET", path: "/a*", handler: returning(1) }]),
  ],
  [
    "adding a route with something that is not a middleware",
    "BAD_MIDDLEWARE",
    (app) => app.routes.add([{ ...good, middlewares: [notAMiddleware] }]),
  ],
  ["removing an unknown route", "UNKNOWN_ROUTE", (app) => app.routes.remove("PUT", "/v1/users/:id")],
  ["removing an unknown command", "UNKNOWN_ROUTE", (app) => app.routes.remove(undefined, "users/list")],
  ["replacing an unknown route", "UNKNOWN_ROUTE", (app) => app.routes.replace("GET", "/nothing", good)],
  [
    "replacing by an invalid route",
    "BAD_HANDLER",
    (app) => app.routes.replace("GET", "/v1/users/:id", [good, { method: "GET", path: "/x" }]),
  ],
];
for (const [title, expected, change] of failures) {
  test(`${title} throws a StartError and changes nothing`, () =>
    withTable(async (app) => {
      assert.throws(
        () => change(app),
        (error) => error instanceof StartError && error.problems.every(({ code }) => code === expected),
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
