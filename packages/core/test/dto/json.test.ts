import assert from "node:assert/strict";
import { test } from "node:test";
import { json } from "@tenon/core";
import { asForm, asText, readField } from "./read.ts";

test("json holds any JSON value", () => {
  for (const value of ["", "a", 0, -1.5, true, false, [], {}, [null, 1, ["a"]], { a: { b: null } }]) {
    assert.deepEqual(readField(json("required"), value), value);
  }
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1, Symbol("a")]) {
    assert.deepEqual(readField(json(), value), ["f json"], String(value));
  }
  assert.deepEqual(readField(json(), { a: [undefined] }), ["f.a.0 json"]);
});

test("json has no __proto__ keys and no text that a store cannot keep", () => {
  const input = JSON.parse('{"__proto__":{"x":1},"a":[{"__proto__":1,"b":2}]}');
  assert.deepEqual(readField(json(), input), { a: [{ b: 2 }] });
  assert.ok(Object.hasOwn(input, "__proto__"), "the input is not changed");
  assert.deepEqual(readField(json(), { a: ["x\0"], "k\0": 1 }), ["f.a.0 text", "f.k\0 text"]);
  assert.equal((readField(json(), Array(1000).fill("\0")) as string[]).length, 100); // issues, see readField
});

test("json is parsed from text", () => {
  assert.deepEqual(readField(json(), '{"a":[1]}', asText), { a: [1] });
  assert.equal(readField(json(), "7", asForm), 7);
  assert.equal(readField(json(), "", asForm), undefined);
  assert.equal(readField(json("nullable"), "null", asText), null);
  for (const text of ["{", "hunter2", "null"]) assert.deepEqual(readField(json(), text, asText), ["f json"]);
  assert.deepEqual(readField(json("nullable"), "x", asText), ["f json"]);
  assert.deepEqual(readField(json("required"), "", asText), ["f required"]);
});

test("json is at most 64 levels deep", () => {
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  assert.ok(Array.isArray(readField(json(), deep(64), asText)));
  const [issue] = readField(json(), deep(65), asText) as string[]; // issues, see readField
  assert.match(String(issue), /^f(\.0){64} json$/);
  assert.equal((readField(json(), deep(100_000), asText) as string[]).length, 1); // as above
});
