import assert from "node:assert/strict";
import { test } from "node:test";
import { array, dto, type Field, type Infer, integer, nested, record, string } from "@tenon/core";
import type { Equal, Expect } from "../support/types.ts";
import { asForm, asText, readField } from "./read.ts";

const Post = dto("Post", { title: string("required") });

test("a list takes a DTO directly", () => {
  assert.deepEqual(readField(array(Post), [{ title: "a", id: 1 }]), [{ title: "a" }]);
  assert.deepEqual(readField(array(Post), [{ title: "a" }, {}, null, 1]), [
    "f.1.title required",
    "f.2 required",
    "f.3 object",
  ]);
});

test("a list from text: flags separate with commas, forms repeat the name", () => {
  assert.deepEqual(readField(array(integer()), "1,2", asText), [1, 2]);
  assert.deepEqual(readField(array(string()), "a,b", asForm), ["a,b"]);
  assert.deepEqual(readField(array(integer()), ["1", "", "2"], asForm), [1, 2]);
  assert.deepEqual(readField(array(integer()), 7, asText), ["f array"]);
});

test("a record has any keys, and values by its field", () => {
  assert.deepEqual(readField(record(integer()), { a: 1, "b.c": 2, constructor: 3 }), {
    a: 1,
    "b.c": 2,
    constructor: 3,
  });
  assert.deepEqual(readField(record(Post), { a: { title: "x", id: 1 } }), { a: { title: "x" } });
  assert.deepEqual(readField(record(integer("max=1")), { a: 2, b: "x", c: null, d: 1 }), [
    "f.a max",
    "f.b integer",
    "f.c required",
  ]);
  for (const value of [[], "x", 1, true]) assert.deepEqual(readField(record(integer()), value), ["f object"]);
});

test("__proto__ never passes a record, and keys are well-formed text", () => {
  const value = readField(record(record(integer())), JSON.parse('{"__proto__":{"x":1},"a":{"__proto__":1,"b":2}}'));
  assert.deepEqual(value, { a: { b: 2 } });
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.deepEqual(readField(record(integer()), { "a\0": 1, "\ud800": 2 }), ["f.a\0 text", "f.\ud800 text"]);
});

test("min and max count the entries of a record", () => {
  assert.deepEqual(readField(record(integer(), "min=1"), {}), ["f min"]);
  assert.deepEqual(readField(record(integer(), "max=1"), { a: 1, b: 2 }), ["f max"]);
  assert.deepEqual(record(integer(), "min=1", "max=2").rules(), [
    "must have at least 1 entry",
    "must have at most 2 entries",
  ]);
  assert.deepEqual(readField(record(integer(), "min=1"), JSON.parse('{"__proto__":1}')), ["f min"]);
});

const Collections = dto({
  posts: array(Post, "required"),
  counts: record(integer(), "required", "min=1"),
  byName: record(Post),
  author: nested(Post, "nullable"),
});
export type Checks = [
  Expect<
    Equal<
      Infer<typeof Collections>,
      {
        posts: { title: string }[];
        counts: Record<string, number>;
        byName?: Record<string, { title: string }>;
        author?: { title: string } | null;
      }
    >
  >,
];
export const field: Field = array(Post);
