import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context, type Next, type Route, type Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { startError } from "../support/start-error.ts";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";

const handler = () => "here";
const owner = 'TestController (module "test")';

/** The routes in force as `METHOD path [middlewares]`. */
async function listOf(routes: Routes): Promise<string[]> {
  const app = await createTestApp(moduleOf(routes), api());
  try {
    return app.routes.list().map(({ method, path, middlewares }) => `${method} ${path} [${middlewares.join(" ")}]`);
  } finally {
    await app.stop();
  }
}

const pass =
  (name: string) =>
  (ctx: Context, next: Next): unknown => {
    ctx.response().addHeader("x-ran", name);
    return next();
  };
const named = (name: string) => Object.defineProperty(pass(name), "name", { value: name });

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

test("paths of groups join without a double slash (P21)", async () => {
  const child = (path: string): Route => ({ path, children: [{ method: "GET", path: "/x", handler }] });
  const routes: Routes = [
    { path: "/a/", children: [child("/v1/")] },
    { path: "b", children: [] },
    { path: "/c", children: [child("")] },
    { path: "/", children: [child("/d")] },
  ];
  assert.deepEqual(await listOf(routes), ["GET /a/v1/x []", "GET /c/x []", "GET /d/x []"]);
});

test("a record with a method and children is a route and a group at once, its middlewares guard both", async () => {
  const routes: Routes = [
    {
      method: "GET",
      path: "/users",
      handler,
      middlewares: [named("guard")],
      children: [{ method: "GET", path: "/:id", handler }],
    },
  ];
  assert.deepEqual(await listOf(routes), ["GET /users [guard]", "GET /users/:id [guard]"]);
});

testOnBothTransports(
  "versions are nested groups: /api holds /v1 and /v2",
  [
    {
      path: "/api",
      children: [
        { path: "/v1", children: [{ method: "GET", path: "/users", handler: () => "first" }] },
        { path: "/v2", children: [{ method: "GET", path: "/users", handler: () => "second" }] },
      ],
    },
  ],
  async (call) => {
    assert.equal(await (await call("GET", "/api/v1/users")).json(), "first");
    assert.equal(await (await call("GET", "/api/v2/users")).json(), "second");
    for (const path of ["/api/v3/users", "/api/users", "/users", "/api", "/api/v1"]) {
      assert.equal((await call("GET", path)).status, 404, path);
    }
  },
);

test("routes without a method are commands and are no part of an HTTP platform", async () => {
  assert.deepEqual(await listOf([{ path: "posts/list", handler }]), []);
});

// a record that TypeScript would refuse, as plain JavaScript would write it
const broken = (record: unknown) => record as Route;

/** A group whose child lists it again. */
function ouroboros(): Route {
  const children: Route[] = [];
  const group = { path: "/a", children: [{ path: "/b", children }] };
  children.push(group);
  return group;
}

/** A route inside that many groups. */
function nest(depth: number): Route {
  let route: Route = { method: "GET", path: "/leaf", handler };
  for (let count = 0; count < depth; count++) route = { path: "/g", children: [route] };
  return route;
}

test("a hundred groups inside each other, and one group in two places, are no mistake", async () => {
  assert.deepEqual(await listOf([nest(100)]), [`GET ${"/g".repeat(100)}/leaf []`]);
  const shared = nest(0);
  const routes: Routes = [
    { path: "/a", children: [shared] },
    { path: "/b", children: [shared] },
  ];
  assert.deepEqual(await listOf(routes), ["GET /a/leaf []", "GET /b/leaf []"]);
});

const mistakes: readonly { routes: Routes; code: string; text: string }[] = [
  {
    routes: [broken(undefined)],
    code: "BAD_ROUTE",
    text: `Route 1 of ${owner} is undefined, which a misspelt field is, too. Write { method, path, handler }.`,
  },
  {
    routes: [{ path: "/a", children: [broken({ method: "GET", handler })] }],
    code: "BAD_ROUTE",
    text: `Route 1 in group /a of ${owner} is not a route record. Write { method, path, handler }.`,
  },
  {
    routes: [{ method: "GET", path: "/a" }],
    code: "BAD_HANDLER",
    text: `GET /a of ${owner} has no handler. Name one, for example handler: this.index, and check the method's spelling.`,
  },
  {
    routes: [broken({ method: "GET", path: "/a", handler: "index" })],
    code: "BAD_HANDLER",
    text: `The handler of GET /a of ${owner} is the text "index", not a function. Name the method and do not call it: handler: this.index.`,
  },
  {
    routes: [broken({ method: "get", path: "/a", handler })],
    code: "BAD_ROUTE",
    text: `get /a of ${owner}: "get" is not a method. Use one of GET, POST, PUT, PATCH, DELETE, OPTIONS, HEAD.`,
  },
  {
    routes: [{ path: "/a" }],
    code: "BAD_ROUTE",
    text: `Route /a of ${owner} has neither a handler nor children. Add one of them.`,
  },
  {
    routes: [{ path: "/a", handler, children: [] }],
    code: "BAD_ROUTE",
    text: `Route /a of ${owner} has children and a handler but no method: a group has no handler. Give the handler a child route of its own.`,
  },
  {
    routes: [{ method: "GET", path: "a", handler }],
    code: "BAD_ROUTE",
    text: `GET a of ${owner}: the path must start with "/": write "/a".`,
  },
  {
    routes: [{ method: "GET", path: "", handler }],
    code: "BAD_ROUTE",
    text: `GET  of ${owner}: the path must start with "/": write "/".`,
  },
  {
    routes: [{ path: "/api", children: [{ method: "GET", path: "v1", handler }] }],
    code: "BAD_ROUTE",
    text: `GET /api/v1 of ${owner}: the path must start with "/": write "/v1".`,
  },
  {
    routes: [{ path: "/api", children: [{ path: "v1", children: [{ method: "GET", path: "/a", handler }] }] }],
    code: "BAD_ROUTE",
    text: `GET /api/v1/a of ${owner}: the path must start with "/": write "/v1".`,
  },
  {
    routes: [broken({ path: "/a", children: {} })],
    code: "BAD_ROUTE",
    text: `The children of Route /a of ${owner} are an object. Write a list: [ … ].`,
  },
  {
    routes: [broken({ method: "GET", path: "/a", handler, middlewares: named("guard") })],
    code: "BAD_ROUTE",
    text: `The middlewares of GET /a of ${owner} are the function guard. Write a list: [ … ].`,
  },
  {
    routes: [{ path: "posts list", handler }],
    code: "BAD_ROUTE",
    text: `Route posts list of ${owner}: "/" separates the words of a command: write "posts/list".`,
  },
  {
    routes: [{ method: "GET", path: "/a/*/b", handler }],
    code: "BAD_ROUTE",
    text: `GET /a/*/b of ${owner} is malformed: "*" must be the whole last segment, as in "/files/*".`,
  },
  {
    routes: [{ path: "/files/*", children: [{ method: "GET", path: "/x", handler }] }],
    code: "BAD_ROUTE",
    text: `GET /files/*/x of ${owner} is malformed: "*" must be the whole last segment, as in "/files/*".`,
  },
  {
    routes: [{ path: "/users/:id", children: [{ method: "GET", path: "/posts/:id", handler }] }],
    code: "BAD_ROUTE",
    text: `GET /users/:id/posts/:id of ${owner} is malformed: it has ":id" twice.`,
  },
  {
    routes: [{ path: "/a", children: [{ method: "GET", path: "//b", handler }] }],
    code: "BAD_ROUTE",
    text: `GET /a//b of ${owner} is malformed: a path has no empty segments ("//").`,
  },
  {
    routes: [{ method: "GET", path: "/posts/{id}", handler }],
    code: "BAD_ROUTE",
    text: `GET /posts/{id} of ${owner} is malformed: "{id}" is not a parameter: write ":id" as a whole segment.`,
  },
  {
    routes: [broken({ method: "GET", path: "/a", handler, middleware: [named("guard")] })],
    code: "BAD_ROUTE",
    text: `GET /a of ${owner} has an unknown key: middleware (did you mean middlewares?). It takes method, path, handler, middlewares, children.`,
  },
  {
    routes: [{ path: "/a", children: [broken({ method: "GET", path: "/b", handlr: handler, guards: [] })] }],
    code: "BAD_ROUTE",
    text: `GET /a/b of ${owner} has an unknown key: handlr (did you mean handler?), guards. It takes method, path, handler, middlewares, children.`,
  },
  {
    routes: [ouroboros()],
    code: "BAD_ROUTE",
    text: `Route /a/b/a of ${owner} contains itself. Remove it from the children inside it.`,
  },
  {
    routes: [nest(101)],
    code: "BAD_ROUTE",
    text: `GET ${"/g".repeat(101)}/leaf of ${owner} is inside more than 100 groups. Write fewer, with longer paths.`,
  },
];
for (const { routes, code, text } of mistakes) {
  test(`a mistake in a record stops the start: ${text}`, async () => {
    const error = await startError(moduleOf(routes));
    assert.deepEqual(
      error.problems.map((problem) => [problem.code, problem.message]),
      [[code, text]],
    );
  });
}

test("all mistakes are reported at once", async () => {
  const error = await startError(moduleOf([{ method: "GET", path: "a", handler }, { path: "/b" }]));
  assert.equal(error.problems.length, 2);
  assert.match(error.message, /^2 problems:\n {2}1\. GET a of .*\n {2}2\. Route \/b of /);
});
