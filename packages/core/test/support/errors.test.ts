import assert from "node:assert/strict";
import { test } from "node:test";
import { causesOf } from "@tenon/core/internal";

test("an error is followed by its causes, at most ten, each once", () => {
  const root = new Error("root", { cause: "a text" });
  const error = new TypeError("outer", { cause: root });
  assert.deepEqual(causesOf(error), [error, root]);
  root.cause = error;
  assert.deepEqual(causesOf(error), [error, root]);
  assert.deepEqual(causesOf("a text"), []);
  let deep = new Error("0");
  for (let count = 1; count < 20; count++) deep = new Error(String(count), { cause: deep });
  assert.equal(causesOf(deep).length, 10);
});
