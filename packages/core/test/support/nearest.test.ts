import assert from "node:assert/strict";
import { test } from "node:test";
import { findNearest } from "@tenon/core/internal";

const names = ["posts", "posts list", "posts publish", "users", "db"];
const cases: readonly [given: string, nearest: string | undefined][] = [
  ["pots", "posts"],
  ["psots", "posts"],
  ["post", "posts"],
  ["Posts", "posts"],
  ["posts lst", "posts list"],
  ["posts pubilsh", "posts publish"],
  ["bd", "db"],
  ["elephants", undefined],
  ["", undefined],
  ["x".repeat(100_000), undefined],
];
test("a misspelt name finds the nearest one", () => {
  for (const [given, nearest] of cases) assert.equal(findNearest(given, names), nearest, given.slice(0, 20));
});

test("the longer of two equally close names is chosen", () => {
  assert.equal(findNearest("abcx", ["abc", "abcde"]), "abc");
  assert.equal(findNearest("abcd", ["abc", "abcde"]), "abcde");
});
