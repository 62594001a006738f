import assert from "node:assert/strict";
import { test } from "node:test";
import {
  array,
  type Dto,
  dto,
  type Infer,
  integer,
  literal,
  nested,
  partial,
  type Returned,
  string,
  timestamp,
  toJsonSchema,
} from "@tenon/core";
import type { Equal, Expect } from "../support/types.ts";
import { read } from "./read.ts";

const Author = dto("Author", { name: string("required") });
const CreatePost = dto("CreatePost", {
  title: string("required", "trim", "max=20").describe("As it is printed."),
  kind: string("required", "oneof=note article"),
  code: string("required", "len=2"),
  subtitle: string("nullable"),
  copies: integer("default=1"),
  state: literal(["draft", "done"], "required"),
  tags: array(string(), "required"),
  due: timestamp("required"),
  author: nested(Author, "required"),
});
const UpdatePost = partial("UpdatePost", CreatePost);

test("no field of a partial DTO is required, and none has a default", () => {
  assert.deepEqual(read(UpdatePost, {}), {});
  assert.deepEqual(read(UpdatePost, { subtitle: null, copies: 2 }), { subtitle: null, copies: 2 });
});

test("the fields of a partial DTO keep their other rules, and texts that were required are not empty", () => {
  for (const [input, issue] of [
    [{ title: "" }, "title min"],
    [{ title: "  " }, "title min"],
    [{ title: "x".repeat(21) }, "title max"],
    [{ kind: "" }, "kind oneof"],
    [{ code: "" }, "code len"],
    [{ state: "" }, "state oneof"],
    [{ author: {} }, "author.name required"],
  ] as const) {
    assert.deepEqual(read(UpdatePost, input), [issue], JSON.stringify(input));
  }
  assert.deepEqual(read(UpdatePost, { title: " A ", subtitle: "" }), { title: "A", subtitle: "" });
});

test("a partial DTO has a name of its own, or none", () => {
  assert.deepEqual([UpdatePost.name, partial(CreatePost).name], ["UpdatePost", ""]);
  const { required, properties } = toJsonSchema(UpdatePost, "input");
  assert.equal(required, undefined);
  assert.deepEqual((properties as Record<string, unknown>).title, {
    type: "string",
    maxLength: 20,
    minLength: 1,
    description: "As it is printed. White space around it is removed.",
  });
  assert.throws(() => partial("UpdatePost" as never), /partial\(\) takes a DTO/);
});

test("the type of a partial DTO has optional properties", () => {
  type Update = {
    title?: string;
    kind?: "note" | "article";
    code?: string;
    subtitle?: string | null;
    copies?: number;
    state?: "draft" | "done";
    tags?: string[];
    due?: Date;
    author?: { name: string };
  };
  const checks: [
    Expect<Equal<Infer<typeof UpdatePost>, Update>>,
    Expect<Equal<Infer<typeof Author>, { name: string }>>,
  ] = [true, true];
  assert.deepEqual(checks, [true, true]);
  const returned: Returned<typeof UpdatePost> = { title: undefined, due: "2026-11-17T09:30:00Z" };
  assert.deepEqual(Object.keys(returned), ["title", "due"]);
});

test("the fields of a DTO are reused with their types", () => {
  const { title, ...others } = CreatePost.fields;
  const Post = dto("Post", { ...CreatePost.fields, id: integer("required") });
  const Heading = dto({ title, subtitle: CreatePost.fields.subtitle });
  const checks: [
    Expect<Equal<Infer<typeof Heading>, { title: string; subtitle?: string | null }>>,
    Expect<Equal<Infer<typeof Post>["id"], number>>,
    Expect<Equal<Infer<typeof Post>["kind"], "note" | "article">>,
  ] = [true, true, true];
  assert.ok(checks.every(Boolean));
  assert.deepEqual(Object.keys(dto(others).fields), Object.keys(CreatePost.fields).slice(1));
  const widened: Dto = Post;
  assert.equal(widened.name, "Post");
});
