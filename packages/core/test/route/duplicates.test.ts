import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  type Context,
  dto,
  endpoint,
  type MiddlewareContract,
  type MiddlewareFunction,
  type Next,
  type Route,
  type Routes,
  string,
} from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { startError } from "../support/start-error.ts";
import { moduleOf } from "../support/transports.ts";

const open = (method: NonNullable<Route["method"]>, path: string): Route => ({ method, path, handler: () => "here" });

const duplicates: readonly [title: string, routes: Routes][] = [
  ["wildcards of one prefix", [open("GET", "/a/*"), { path: "/a", children: [open("GET", "/*")] }]],
  ["a group's own path and the path itself", [open("GET", "/a"), { path: "/a", children: [open("GET", "/")] }]],
  ["the same places under other names", [open("GET", "/:a/x/:b"), open("GET", "/:b/x/:a")]],
  ["HEAD twice", [open("HEAD", "/a"), open("HEAD", "/a")]],
];
for (const [title, routes] of duplicates) {
  test(`duplicates are found whatever they look like: ${title}`, async () => {
    const { problems } = await startError(moduleOf(routes));
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["DUPLICATE_ROUTE"],
    );
  });
}

test("routes that differ in method, in shape or in their last slash are not duplicates", async () => {
  const paths = ["/a", "/a/", "/a/:x", "/a/*", "/:x/a", "/a/:x/*"];
  const routes = [...paths.map((path) => open("GET", path)), open("POST", "/a"), open("HEAD", "/a")];
  const app = await createTestApp(moduleOf(routes), api());
  assert.equal(app.routes.list().length, routes.length);
  await app.stop();
});

async function fails(routes: Routes, expected: RegExp): Promise<void> {
  const { problems } = await startError(moduleOf(routes));
  assert.deepEqual(
    problems.map(({ code }) => code),
    ["BAD_CONTRACT"],
  );
  assert.match(String(problems[0]?.message), expected);
}

test("two endpoints with one operation id stop the start; a command may have that of an endpoint", async () => {
  const update = endpoint({ operationId: "posts.update" }, () => []);
  const put: Route = { method: "PUT", path: "/posts/:id", handler: update };
  await fails(
    [put, { ...put, method: "PATCH" }],
    /^PUT \/posts\/:id of .* and PATCH \/posts\/:id of .* have the same operation id "posts\.update"\./,
  );
  const module = moduleOf([put, { path: "posts/update", handler: update }]);
  await (await createTestApp(module, api())).stop();
  await (await createTestApp(module, cli({ name: "blog" }))).stop();
});

test("two DTOs with one name stop the start, wherever they are", async () => {
  const inner = dto("Post", { title: string() });
  const list = (contract: Parameters<typeof endpoint>[0]) => endpoint(contract, () => undefined as never);
  await fails(
    [
      { method: "GET", path: "/a", handler: list({ returns: array(inner) }) },
      { method: "GET", path: "/b", handler: list({ errors: { 409: dto("Post", { text: string() }) } }) },
    ],
    /^GET \/a of .* and GET \/b of .* have two DTOs with the name "Post"\. Use one DTO for both, or rename one\.$/,
  );
});

test("two security schemes with one name stop the start", async () => {
  const guard = (scheme: NonNullable<MiddlewareContract["security"]>[string]): MiddlewareFunction =>
    Object.assign((_ctx: Context, next: Next) => next(), { contract: { security: { token: scheme } } });
  const key = guard({ type: "apiKey", in: "header", name: "X-API-Key" });
  const bearer = guard({ type: "http", scheme: "bearer" });
  await fails(
    [
      { method: "GET", path: "/a", handler: () => [], middlewares: [key] },
      { method: "GET", path: "/b", handler: () => [], middlewares: [bearer] },
      { method: "GET", path: "/c", handler: () => [], middlewares: [bearer, key] },
    ],
    /^GET \/a of .* and GET \/b of .* have guards with two security schemes "token"\. Rename one of them\.$/,
  );
});

test("a conflicting route cannot be added at run time, and nothing changes", async () => {
  const app = await createTestApp(moduleOf([]), api());
  const Post = dto("Post", { title: string() });
  app.routes.add({ method: "GET", path: "/a", handler: endpoint({ returns: Post }, () => ({})) });
  const other = endpoint({ returns: dto("Post", { text: string() }) }, () => ({}));
  assert.throws(() => app.routes.add({ method: "GET", path: "/b", handler: other }), /two DTOs with the name "Post"/);
  assert.equal(app.routes.list().length, 1);
  await app.stop();
});
