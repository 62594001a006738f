import assert from "node:assert/strict";
import { test } from "node:test";
import { array, type Dto, dto, type Field, integer, json, nested, record, string, timestamp, union } from "@tenon/core";
import { findMismatches } from "../../src/schema/check.ts";

async function mismatches(schema: Dto | Field, value: unknown): Promise<string[]> {
  return (await findMismatches(schema, value)).map(({ path, rule }) => `${path} ${rule}`.trim());
}

const Post = dto({
  title: string("required", "trim", "max=5"),
  limit: integer("default=20"),
  note: string("nullable"),
  at: timestamp(),
});

test("a value as declared has no mismatch, and an undeclared key is none", async () => {
  const post = { title: "a", limit: 1, note: null, at: new Date(), password: "hunter2" };
  assert.deepEqual(await mismatches(Post, post), []);
  assert.deepEqual(await mismatches(array(Post), [post, { ...post, at: "2026-11-17T00:00:00Z" }]), []);
  assert.deepEqual(await mismatches(Post, { title: "a", limit: 1, at: undefined }), []);
});

test("nothing is converted: a default must be there, and white space counts", async () => {
  assert.deepEqual(await mismatches(Post, { title: "a    " }), ["limit required"]);
  assert.deepEqual(await mismatches(Post, { title: " a    ", limit: 1 }), ["title max"]);
  assert.deepEqual(await mismatches(Post, { title: "a", limit: "1" }), ["limit integer"]);
});

test("required is about presence: a handler may return an empty text", async () => {
  assert.deepEqual(await mismatches(Post, { title: "", limit: 1 }), []);
  assert.deepEqual(await mismatches(Post, { title: null, limit: 1 }), ["title required"]);
});

test("mismatches have path and rule, and not the value", async () => {
  const Page = dto({ posts: array(Post, "required"), byName: record(nested(Post)) });
  const issues = await findMismatches(Page, { posts: [{ title: 7, limit: 0 }, null], byName: { a: {}, b: undefined } });
  assert.deepEqual(issues[0], {
    path: "posts.0.title",
    keys: ["posts", 0, "title"],
    rule: "string",
    message: "must be a string",
  });
  assert.deepEqual(
    issues.slice(1).map(({ path }) => path),
    ["posts.1", "byName.a.title", "byName.a.limit"],
  );
});

test("a Date matches a timestamp when it can be written", async () => {
  assert.deepEqual(await mismatches(timestamp(), new Date(0)), []);
  for (const value of [new Date(Number.NaN), new Date(8.64e15), 0, "today"]) {
    assert.deepEqual(await mismatches(timestamp(), value), ["timestamp"]);
  }
});

test("getters and inherited properties are read, as they are when the value leaves", async () => {
  class Circle {
    readonly radius = 1;
    get kind() {
      return "circle";
    }
  }
  const Shape = union("kind", { circle: dto({ radius: integer("required") }) });
  assert.deepEqual(await mismatches(Shape, new Circle()), []);
  assert.deepEqual(await mismatches(Shape, Object.create(new Circle())), []);
});

test("nothing matches nothing but a nullable field", async () => {
  for (const value of [null, undefined]) assert.deepEqual(await mismatches(array(Post), value), ["required"]);
  assert.deepEqual(await mismatches(Post, null), ["object"]);
  assert.deepEqual(await mismatches(string("nullable"), null), []);
});

test("json leaves undefined out, as JSON does", async () => {
  assert.deepEqual(await mismatches(json(), { a: undefined, b: [1] }), []);
  assert.deepEqual(await mismatches(json(), { a: 1n }), ["a json"]);
});
