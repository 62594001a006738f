import assert from "node:assert/strict";
import { test } from "node:test";
import type { RouteDescription } from "@tenon/devtools/internal";
import { auditRoutes, listOpenWrites } from "../../src/inspect/route-audit.ts";

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
    ["no guard: POST /a", "no guard: PATCH /b"],
  );
});

test("a socket that receives messages is a write", () => {
  const socket = { receives: true } as const;
  const open = route("GET /b", { ...socket, access: "public" });
  assert.deepEqual(findingsOf(route("GET /a", socket), open, route("GET /c", { ...socket, secured: true })), [
    "no guard: GET /a",
  ]);
  assert.deepEqual(
    listOpenWrites([open]).map((found) => found.route),
    ["GET /b"],
  );
});

test("a write that its contract declares public is in a list of its own", () => {
  const routes = [route("POST /login", { access: "public" }), route("POST /a"), route("GET /b", { access: "public" })];
  assert.deepEqual(findingsOf(...routes), ["no guard: POST /a"]);
  const open = listOpenWrites([...routes, route("POST /c", { access: "public", secured: true })]);
  assert.deepEqual(open, [{ finding: "open to everyone", route: "POST /login", handler: "PostsController.show" }]);
});

test("a route for users is listed without a guard, reads too", () => {
  const users = { access: "users" } as const;
  assert.deepEqual(
    findingsOf(route("GET /a", users), route("PUT /a/:id", users), route("PUT /b/:id", { ...users, secured: true })),
    ["no guard: GET /a", "no guard: PUT /a/:id"],
  );
});

test("a parameter that no policy covers is listed, unless all may use any id", () => {
  const of = (text: string, more: Partial<RouteDescription> = {}) => route(text, { uncovered: ["id"], ...more });
  const { method: _, ...command } = of("x posts/show/:id");
  const member = { secured: true, policies: ["member"], uncovered: ["ticket", "note"] };
  assert.deepEqual(
    findingsOf(
      ...[of("GET /a/:id"), of("PUT /b/:id", { secured: true }), of("GET /c/:org/:ticket/:note", member), command],
      ...[of("GET /d/:id", { access: "public" }), of("GET /e/:id", { secured: true, access: "users" })],
      guarded("GET /f/:id"),
    ),
    [
      "no policy for :id: GET /a/:id",
      "no policy for :id: PUT /b/:id",
      "no policy for :ticket, :note: GET /c/:org/:ticket/:note",
    ],
  );
});

test("with a guard, public does not say which users may use an id", () => {
  const shown = route("PUT /a/:id", { access: "public", secured: true, uncovered: ["id"] });
  assert.deepEqual(findingsOf(shown), ["no policy for :id: PUT /a/:id"]);
});

test("endpoints without a contract are listed, commands too", () => {
  const { method: _, ...command } = route("x posts/list", { declared: false });
  assert.deepEqual(findingsOf(route("GET /a", { declared: false }), command), [
    "no contract: GET /a",
    "no contract: posts/list",
  ]);
});

test("a mount is listed once: without a guard, for its parameters, and where it is open to everyone", () => {
  const mount = (path: string, more: Partial<RouteDescription> = {}) =>
    ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].flatMap((method) => [
      route(`${method} ${path}`, { handler: "(mount)", ...more }),
      route(`${method} ${path}/*`, { handler: "(mount)", ...more, uncovered: [...(more.uncovered ?? []), "*"] }),
    ]);
  const shadowed = route("GET /d/*", { handler: "(mount)", secured: true, shadowedBy: ["GET /d/open"] });
  assert.deepEqual(
    findingsOf(...mount("/a"), ...mount("/b", { secured: true }), ...mount("/c/:id", { uncovered: ["id"] }), shadowed),
    [
      "no guard: POST /a",
      "no guard: POST /c/:id",
      "no policy for :id: POST /c/:id",
      "shadowed by GET /d/open: GET /d/*",
    ],
  );
  const open = listOpenWrites(mount("/e", { access: "public" }));
  assert.deepEqual(open, [{ finding: "open to everyone", route: "POST /e", handler: "PostsController.(mount)" }]);
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
