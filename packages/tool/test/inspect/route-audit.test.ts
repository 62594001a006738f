import assert from "node:assert/strict";
import { test } from "node:test";
import type { RouteDescription } from "@tenon/core/platform";
import { auditRoutes } from "../../src/inspect/route-audit.ts";

function route(text: string, more: Partial<RouteDescription> = {}): RouteDescription {
  const [method = "", path = ""] = text.split(" ");
  const described = { path, handler: "show", controller: "PostsController", middlewares: [], declared: true };
  return { method, ...described, secured: false, ...more };
}

const guarded = (text: string) => route(text, { secured: true });
const findingsOf = (...routes: RouteDescription[]) =>
  auditRoutes(routes).map(({ finding, route: found }) => `${finding}: ${found}`);

test("writes without a guard are listed, reads are not", () => {
  assert.deepEqual(
    findingsOf(route("GET /a"), route("POST /a"), route("PATCH /b"), guarded("PUT /a"), guarded("DELETE /a")),
    ["unguarded write: POST /a", "unguarded write: PATCH /b"],
  );
});

test("a write that its contract declares public is not listed", () => {
  assert.deepEqual(findingsOf(route("POST /login", { public: true }), route("POST /a")), ["unguarded write: POST /a"]);
});

test("endpoints without a contract are listed, commands too", () => {
  const { method: _, ...command } = route("x posts/list", { declared: false });
  assert.deepEqual(findingsOf(route("GET /a", { declared: false }), command), [
    "no contract: GET /a",
    "no contract: posts/list",
  ]);
});

test("a finding names the controller once", () => {
  const [first, second] = auditRoutes([route("POST /a"), route("POST /b", { handler: "PostsController.show" })]);
  assert.deepEqual([first?.handler, second?.handler], ["PostsController.show", "PostsController.show"]);
});

for (const [open, shadowed] of [
  ["/posts/new", "/posts/:id"],
  ["/posts/:id", "/posts/*"],
  ["/a/:y", "/:x/b"],
  ["/:x/b/c", "/a/:y/:z"],
  ["/a/*", "/*"],
  ["/:x/b", "/a/*"],
] as const) {
  test(`an open ${open} shadows a guarded ${shadowed}, and not the other way round`, () => {
    assert.deepEqual(findingsOf(route(`GET ${open}`), guarded(`GET ${shadowed}`)), [
      `shadowed by GET ${open}: GET ${shadowed}`,
    ]);
    assert.deepEqual(findingsOf(guarded(`GET ${open}`), route(`GET ${shadowed}`)), []);
  });
}

test("routes that share no path, method or protection do not shadow each other", () => {
  for (const [open, other] of [
    [route("GET /posts/new"), guarded("PUT /posts/:id")],
    [route("GET /posts/new"), guarded("GET /users/:id")],
    [route("GET /posts"), guarded("GET /posts/:id")],
    [route("GET /posts"), guarded("GET /posts/*")],
    [route("GET /"), guarded("GET /:slug")],
    [route("GET /posts/new"), route("GET /posts/:id")],
    [guarded("GET /posts/new"), guarded("GET /posts/:id")],
  ] as const) {
    assert.deepEqual(findingsOf(open, other), []);
  }
});
