import assert from "node:assert/strict";
import { test } from "node:test";
import {
  array,
  boolean,
  type Dto,
  dto,
  type Field,
  integer,
  json,
  nested,
  record,
  string,
  timestamp,
  union,
} from "@tenon/core";
import type { Returned } from "@tenon/core/internal";
import * as z from "zod";
import { findResultIssues } from "../../src/schema/dto.ts";
import type { Equal, Expect } from "../support/types.ts";

const Post = dto({
  title: string("required"),
  at: timestamp("required", "nullable"),
  limit: integer("default=20"),
  open: boolean(),
  author: nested(dto({ since: timestamp("required") })),
});
const Text = z.object({ count: z.string().transform(Number), kind: z.string().default("a") });
const Moments = array(timestamp());

export type Checks = [
  Expect<
    Equal<
      Returned<typeof Post>,
      {
        title: string;
        at: Date | string | null;
        limit: number;
        open?: boolean | undefined;
        author?: { since: Date | string } | undefined;
      }
    >
  >,
  Expect<Equal<Returned<typeof Moments>, readonly (Date | string)[]>>,
  Expect<Equal<Returned<typeof Text>, { readonly count: string; readonly kind?: string | undefined }>>,
];

test("what the compiler accepts from a handler matches, and what it rejects does not", () => {
  const good: Returned<typeof Post> = { title: "a", at: new Date(), limit: 1, open: undefined };
  // @ts-expect-error a handler returns the default itself
  const withoutDefault: Returned<typeof Post> = { title: "a", at: null };
  // @ts-expect-error only nullable fields are null
  const withNull: Returned<typeof Post> = { title: null, at: null, limit: 1 };
  assert.deepEqual(findResultIssues(Post, good), []);
  for (const bad of [withoutDefault, withNull]) assert.equal(findResultIssues(Post, bad).length, 1);
});

function issuesOf(schema: Dto | Field, value: unknown): string[] {
  return findResultIssues(schema, value).map(({ path, rule }) => `${path} ${rule}`.trim());
}

const Entry = dto({
  title: string("required", "trim", "max=5"),
  limit: integer("default=20"),
  note: string("nullable"),
  at: timestamp(),
});

test("a value as declared has no issue, and an undeclared key is none", () => {
  const post = { title: "a", limit: 1, note: null, at: new Date(), password: "hunter2" };
  assert.deepEqual(issuesOf(Entry, post), []);
  assert.deepEqual(issuesOf(array(Entry), [post, { ...post, at: "2026-11-17T00:00:00Z" }]), []);
  assert.deepEqual(issuesOf(Entry, { title: "a", limit: 1, at: undefined }), []);
});

test("nothing is converted: a default must be there, and white space counts", () => {
  assert.deepEqual(issuesOf(Entry, { title: "a    " }), ["limit required"]);
  assert.deepEqual(issuesOf(Entry, { title: " a    ", limit: 1 }), ["title max"]);
  assert.deepEqual(issuesOf(Entry, { title: "a", limit: "1" }), ["limit integer"]);
});

test("issues have path and rule, and not the value", () => {
  const Page = dto({ posts: array(Entry, "required"), byName: record(nested(Entry)) });
  const issues = findResultIssues(Page, { posts: [{ title: 7, limit: 0 }, null], byName: { a: {}, b: undefined } });
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

test("a Date matches a timestamp when it can be written", () => {
  assert.deepEqual(issuesOf(timestamp(), new Date(0)), []);
  for (const value of [new Date(Number.NaN), new Date(8.64e15), 0, "today"]) {
    assert.deepEqual(issuesOf(timestamp(), value), ["timestamp"]);
  }
});

test("getters and inherited properties are read, as they are when the value leaves", () => {
  class Circle {
    readonly radius = 1;
    get kind() {
      return "circle";
    }
  }
  const Shape = union("kind", { circle: dto({ radius: integer("required") }) });
  assert.deepEqual(issuesOf(Shape, new Circle()), []);
  assert.deepEqual(issuesOf(Shape, Object.create(new Circle())), []);
});

test("json leaves undefined out, as JSON does", () => {
  assert.deepEqual(issuesOf(json(), { a: undefined, b: [1] }), []);
  assert.deepEqual(issuesOf(json(), { a: 1n }), ["a json"]);
});

test("required is about presence: a handler may return an empty text", () => {
  assert.deepEqual(issuesOf(Entry, { title: "", limit: 1 }), []);
  assert.deepEqual(issuesOf(Entry, { title: null, limit: 1 }), ["title required"]);
});
