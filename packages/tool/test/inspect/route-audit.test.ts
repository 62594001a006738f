import assert from "node:assert/strict";
import { test } from "node:test";
import type { RouteDescription } from "@tenon/core/platform";
import { auditRoutes } from "../../src/inspect/route-audit.ts";

function route(text: string, more: Partial<RouteDescription> = {}): RouteDescription {
  const [method = "", path = ""] = text.split(" ");
  const described = { path, handler: "show", controller: "PostsController", middlewares: [], declared: true };
  return { method, ...described, secured: false, policies: [], ...more };
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

test("routes with a parameter are listed without a policy, unless they are public", () => {
  const { method: _, ...command } = route("x posts/show/:id");
  assert.deepEqual(
    findingsOf(
      ...[guarded("GET /a/:id"), guarded("DELETE /a/:id/b"), route("GET /files/*"), guarded("GET /a"), command],
      ...[route("GET /b/:id", { public: true }), route("GET /c/:id", { secured: true, policies: ["c owner"] })],
    ),
    ["no policy: GET /a/:id", "no policy: DELETE /a/:id/b"],
  );
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

test("a shadowed route is listed once for each route that takes from it", () => {
  const shadowed = route("GET /posts/:id", {
    secured: true,
    policies: ["post owner"],
    shadowedBy: ["GET /posts/new", "GET /posts/old"],
  });
  assert.deepEqual(findingsOf(shadowed), [
    "shadowed by GET /posts/new: GET /posts/:id",
    "shadowed by GET /posts/old: GET /posts/:id",
  ]);
});
