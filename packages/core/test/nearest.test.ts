import assert from "node:assert/strict";
import { test } from "node:test";
import { findNearest } from "../src/nearest.ts";

const names = ["posts", "posts list", "posts publish", "users", "db"];
const meant: readonly [given: string, nearest: string | undefined][] = [
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
for (const [given, nearest] of meant) {
  test(`${JSON.stringify(given.slice(0, 20))} means ${nearest ?? "nothing that is known"}`, () => {
    assert.equal(findNearest(given, names), nearest);
  });
}

test("of two names that are equally close the longer one is meant", () => {
  assert.equal(findNearest("abcx", ["abc", "abcde"]), "abc");
  assert.equal(findNearest("abcd", ["abc", "abcde"]), "abcde");
});
