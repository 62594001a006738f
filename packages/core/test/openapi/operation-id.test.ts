import assert from "node:assert/strict";
import { test } from "node:test";
import { toOperationId } from "../../src/request/contract.ts";

const names = [
  ["PostsController", "show", "posts.show"],
  ["PostsController", "#show", "posts.show"],
  ["APIKeysController", "create", "apiKeys.create"],
  ["URLController", "index", "url.index"],
  ["Controller", "index", "controller.index"],
  ["PostsPages", "index", "postsPages.index"],
  ["app.routes", "health", "appRoutes.health"],
  ["my plugin", "health", "myPlugin.health"],
  ["…", "health", undefined],
  ["PostsController", "(anonymous)", undefined],
  ["PostsController", "handler", undefined],
] as const;

for (const [controller, handler, id] of names) {
  test(`${handler} of ${controller} is the operation ${id ?? "without an id"}`, () => {
    assert.equal(toOperationId(controller, handler), id);
  });
}
