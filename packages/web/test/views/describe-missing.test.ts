import assert from "node:assert/strict";
import { test } from "node:test";
import { findNearestPath } from "../../src/views/describe-missing.ts";

const names = ["posts/index", "posts/show", "errors/404", "site.css", "app.css", "list"];
const meant: readonly [given: string, nearest: string | undefined][] = [
  ["posts/shw", "posts/show"],
  ["post/show", "posts/show"],
  ["lists", "list"],
  ["iste.css", "site.css"],
  ["/site.css", "site.css"],
  ["site.cs", "site.css"],
  ["posts/edit", undefined],
  ["posts/new", undefined],
  ["users/show", undefined],
  ["nav.css", undefined],
  ["", undefined],
];
for (const [given, nearest] of meant) {
  test(`${JSON.stringify(given)} is nearest to ${nearest ?? "no known name"}`, () => {
    assert.equal(findNearestPath(given, names), nearest);
  });
}
