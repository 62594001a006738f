import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context, type Controller, defineModule, type Next, type Routes, resource } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";

class PostsController implements Controller {
  readonly #name = "posts";

  routes(): Routes {
    return [...resource("/posts", this), ...resource("/drafts/", { index: this.index, show: this.show })];
  }

  index() {
    return `index of ${this.#name}`;
  }
  show(ctx: Context<"/posts/:id">) {
    return `show ${ctx.param("id")} of ${this.#name}`;
  }
  create() {
    return `create in ${this.#name}`;
  }
  update(ctx: Context<"/posts/:id">) {
    return `update ${ctx.param("id")} of ${this.#name}`;
  }
  delete(ctx: Context<"/posts/:id">) {
    return `delete ${ctx.param("id")} of ${this.#name}`;
  }
}

test("resource() gives the five conventional routes, bound to their controller", async () => {
  const app = await createTestApp(defineModule({ name: "posts", declarations: [PostsController] }), api());
  const answer = async (method: "GET" | "POST" | "PUT" | "DELETE", path: string) =>
    (await app.request(method, path)).json();
  assert.equal(await answer("GET", "/posts"), "index of posts");
  assert.equal(await answer("GET", "/posts/7"), "show 7 of posts");
  assert.equal(await answer("POST", "/posts"), "create in posts");
  assert.equal(await answer("PUT", "/posts/7"), "update 7 of posts");
  assert.equal(await answer("DELETE", "/posts/7"), "delete 7 of posts");
  await app.stop();
});

test("resource() gives routes only for the handlers that exist, and joins paths without a double slash", async () => {
  const app = await createTestApp(defineModule({ name: "posts", declarations: [PostsController] }), api());
  const drafts = app.routes.list().filter(({ path }) => path.startsWith("/drafts"));
  assert.deepEqual(
    drafts.map(({ method, path, handler }) => [method, path, handler]),
    [
      ["GET", "/drafts", "index"],
      ["GET", "/drafts/:id", "show"],
    ],
  );
  await app.stop();
});

test("resource() puts its middlewares on each of its routes", () => {
  const guard = (_: Context, next: Next) => next();
  const routes = resource("/posts", { index: () => 1, show: () => 2 }, { middlewares: [guard] });
  assert.deepEqual(
    routes.map(({ path, middlewares }) => [path, middlewares]),
    [
      ["/posts", [guard]],
      ["/posts/:id", [guard]],
    ],
  );
});

test("resource() at the root has the root's path", () => {
  assert.deepEqual(
    resource("/", { index: () => 1, show: () => 2 }).map(({ path }) => path),
    ["/", "/:id"],
  );
});
