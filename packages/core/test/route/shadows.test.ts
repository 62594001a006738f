import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Route, type Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { LogLines } from "../support/log-lines.ts";
import { moduleOf } from "../support/transports.ts";

const handler = () => "here";
const guard = () => "refused";
const open = (method: Route["method"] & string, path: string): Route => ({ method, path, handler });
const guarded = (method: Route["method"] & string, path: string): Route => ({
  ...open(method, path),
  middlewares: [guard],
});

/** What the start warns of. */
async function warningsOf(routes: Routes): Promise<string[]> {
  const log = new LogLines();
  const app = await createTestApp(moduleOf(routes), api(), { log: log.options });
  await app.stop();
  return log.messages("warn");
}

const warning = (route: string, other: string) =>
  `${route} of TestController (module "test") has no middlewares and matches before ${other} of TestController (module "test"), which has the middlewares guard. Add them if that is not meant.`;

/** An open route, and the guarded one before which it matches. */
const shadows: readonly (readonly [open: string, guarded: string])[] = [
  ["/posts/new", "/posts/:id"],
  ["/admin/health", "/admin/*"],
  ["/:x/b", "/a/*"],
  ["/a/:y", "/:x/:y"],
  ["/a/:y", "/:x/b"],
  ["/public/*", "/*"],
  ["/é+", "/:x"],
];
for (const [first, second] of shadows) {
  test(`the start warns of an open ${first} before a guarded ${second}`, async () => {
    const routes = [guarded("GET", second), open("GET", first)];
    const warnings = [warning(`GET ${first}`, `GET ${second}`)];
    assert.deepEqual(await warningsOf(routes), warnings);
    assert.deepEqual(await warningsOf(routes.toReversed()), warnings, "in either order");
  });
}

test("the guard of a group counts", async () => {
  const routes = [open("GET", "/a/b"), { path: "/a", middlewares: [guard], children: [open("GET", "/*")] }];
  assert.deepEqual(await warningsOf(routes), [warning("GET /a/b", "GET /a/*")]);
});

test("the start warns of a route whose middlewares are not guards before one that needs credentials", async () => {
  const bearer = Object.assign(() => "refused", {
    contract: { security: { bearer: { type: "http", scheme: "bearer" } } },
  } as const);
  const timed = { ...open("GET", "/posts/new"), middlewares: [function timer() {}] };
  const secured = { ...open("GET", "/posts/:id"), middlewares: [bearer] };
  const [first = "", ...others] = await warningsOf([timed, secured]);
  assert.match(first, /^GET \/posts\/new of TestController \(module "test"\) has no guard with a security scheme/);
  assert.deepEqual(others, []);
  assert.deepEqual(await warningsOf([{ ...timed, middlewares: [bearer] }, secured]), []);
});

const harmless: readonly { title: string; routes: Routes }[] = [
  { title: "a guarded exact route before an open pattern", routes: [guarded("GET", "/a/b"), open("GET", "/a/:x")] },
  { title: "a guarded pattern before an open wildcard", routes: [guarded("GET", "/a/:x"), open("GET", "/a/*")] },
  { title: "both guarded", routes: [guarded("GET", "/a/b"), guarded("GET", "/a/:x")] },
  { title: "both open", routes: [open("GET", "/a/b"), open("GET", "/a/:x")] },
  { title: "another method", routes: [open("GET", "/a/b"), guarded("POST", "/a/:x")] },
  { title: "a pattern of another method", routes: [open("GET", "/a/:x"), guarded("POST", "/:y/:z")] },
  { title: "an own HEAD route", routes: [open("HEAD", "/a/b"), guarded("GET", "/a/:x")] },
  { title: "a path that the guarded route does not match", routes: [open("GET", "/a/"), guarded("GET", "/a/:x")] },
  { title: "a wildcard's prefix itself", routes: [open("GET", "/a"), guarded("GET", "/a/*")] },
  { title: "patterns that never meet", routes: [open("GET", "/a/:x"), guarded("GET", "/:y/b/c")] },
  { title: "wildcards that never meet", routes: [open("GET", "/a/*"), guarded("GET", "/b/*")] },
  {
    title: "an open pattern would match in place of the exact route",
    routes: [open("GET", "/a/b"), guarded("GET", "/:x/:y/:z"), open("GET", "/a/:x")],
  },
];
for (const { title, routes } of harmless) {
  test(`the start does not warn where nothing is shadowed: ${title}`, async () => {
    assert.deepEqual(await warningsOf(routes), []);
  });
}

test("an exact route is not blamed for what an open pattern does to the same guarded route", async () => {
  const routes = [open("GET", "/a/b"), open("GET", "/a/:x"), guarded("GET", "/*")];
  assert.deepEqual(await warningsOf(routes), [warning("GET /a/:x", "GET /*")]);
});
