import assert from "node:assert/strict";
import { test } from "node:test";
import { describeMissingView, type ViewEngine, viewNameOf } from "../../src/views/view-engine.ts";

const names: readonly [controller: string, handler: string, view: string][] = [
  ["PostsController", "index", "posts/index"],
  ["PostsPages", "index", "posts/index"],
  ["BlogPostsController", "show", "blog-posts/show"],
  ["PostsPagesController", "show", "posts-pages/show"],
  ["APIKeysController", "showOne", "api-keys/show-one"],
  ["Posts2Controller", "index", "posts2/index"],
  ["Controller", "index", "controller/index"],
  ["Pages", "index", "pages/index"],
  ["Home", "index", "home/index"],
  ["BoundController", "bound index", "bound/index"],
  ["BoundController", "bound bound showOne", "bound/show-one"],
  ["my_controller", "show_all", "my-controller/show-all"],
];

for (const [controller, handler, view] of names) {
  test(`${controller}.${handler} is rendered by ${view}`, () => {
    assert.equal(viewNameOf({ controller, handler }), view);
  });
}

const bare: ViewEngine = { has: () => false, render: () => "" };

test("a missing view is reported with its name, its folder and the nearest name, as far as the engine knows them", () => {
  assert.equal(describeMissingView(bare, "posts/indx"), 'There is no view "posts/indx".');
  const engine: ViewEngine = { ...bare, place: "/srv/views", names: () => ["posts/index", "posts/show"] };
  assert.equal(
    describeMissingView(engine, "posts/indx"),
    'There is no view "posts/indx" in /srv/views. Did you mean "posts/index"?',
  );
  for (const far of ["account", "posts/edit", "posts/new", "users/show"]) {
    assert.equal(describeMissingView(engine, far), `There is no view "${far}" in /srv/views.`);
  }
  assert.equal(
    describeMissingView(engine, "with space"),
    'There is no view "with space" in /srv/views. Names of views are made of the letters a to z, digits, "_", "-" and ".", with "/" between folders, and begin with no ".".',
  );
});
