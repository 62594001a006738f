import assert from "node:assert/strict";
import { test } from "node:test";
import { api, array, defineModule, endpoint, type Routes, resource } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Post, type Row, row } from "../support/post-schemas.ts";

class PostsController {
  routes(): Routes {
    return resource("/posts", this);
  }

  readonly index = endpoint({ summary: "All posts", returns: array(Post) }, () => [row]);
  readonly show = endpoint({ returns: Post }, (ctx) => ({ ...row, id: ctx.param("id") }));
}

test("an endpoint has the name of the property that holds it", async () => {
  const app = await createTestApp(defineModule({ name: "posts", declarations: [PostsController] }), api());
  assert.deepEqual(
    app.routes.list().map(({ handler, controller, contract }) => [handler, controller, contract?.summary]),
    [
      ["index", "PostsController", "All posts"],
      ["show", "PostsController", undefined],
    ],
  );
  assert.equal(((await (await app.request("GET", "/posts/7")).json()) as Row).id, "7");
  await app.stop();
});

test("endpoint() without a handler says what it takes", () => {
  assert.throws(() => endpoint({}, null as never), /endpoint\(\) takes a contract and a handler/);
});
