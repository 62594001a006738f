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
  string,
  timestamp,
  toJsonSchema,
} from "@tenon/core";
import type { Returned } from "@tenon/core/internal";
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
const UpdatePost = CreatePost.partial().named("UpdatePost");

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

test("a strict DTO, and every DTO derived from it, refuses a field that it does not declare", () => {
  const Strict = dto("Strict", { a: string(), b: string("required") }).strict();
  const derived = [Strict, Strict.named("C"), Strict.pick("b"), Strict.omit("a"), Strict.extend({ c: integer() })];
  for (const schema of [...derived, Strict.partial()]) {
    assert.deepEqual(read(schema, { b: "x" }), { b: "x" });
    for (const name of ["aa", "A", "toString", "__proto__"]) {
      const input = JSON.parse(`{"b":"x","${name}":["y"]}`) as object; // "__proto__" is a key of its own
      assert.deepEqual(read(schema, input), [`${name} unknown`]);
      assert.deepEqual(read(schema, input, { fromText: false, returned: true }), { b: "x" });
    }
  }
  assert.deepEqual(read(array(nested(Strict)), [{ b: "x" }, { b: "x", c: 1 }]), ["1.c unknown"]);
  assert.deepEqual([Strict.name, Strict.named("C").name], ["Strict", "C"]);
});

test("a partial DTO has a name of its own, or none", () => {
  assert.deepEqual([UpdatePost.name, CreatePost.partial().name], ["UpdatePost", ""]);
  const { required, properties } = toJsonSchema(UpdatePost, "input");
  assert.equal(required, undefined);
  assert.deepEqual((properties as Record<string, unknown>).title, {
    type: "string",
    maxLength: 20,
    minLength: 1,
    description: "As it is printed. White space around it is removed.",
  });
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

test("a DTO is derived from another with its fields, their rules and their types", () => {
  const Post = CreatePost.extend({ id: integer("required"), subtitle: string("required") }).named("Post");
  const Heading = Post.pick("title", "subtitle");
  const Numbered = Post.omit("tags", "due", "author", "state", "kind", "code", "copies", "title");
  const checks: [
    Expect<Equal<Infer<typeof Heading>, { title: string; subtitle: string }>>,
    Expect<Equal<Infer<typeof Numbered>, { id: number; subtitle: string }>>,
    Expect<Equal<Infer<typeof Post>["kind"], "note" | "article">>,
  ] = [true, true, true];
  assert.ok(checks.every(Boolean));
  assert.deepEqual([Post.name, Heading.name], ["Post", ""]);
  assert.deepEqual(Object.keys(Heading.fields), ["title", "subtitle"]);
  assert.deepEqual(Object.keys(Numbered.fields), ["subtitle", "id"]);
  assert.deepEqual(toJsonSchema(Heading, "input").required, ["title", "subtitle"]);
  assert.deepEqual(read(Heading, { title: " A ", subtitle: "b", id: 1 }), { title: "A", subtitle: "b" });
  const widened: Dto = Post;
  assert.equal(widened.name, "Post");
});

test("a field that a DTO does not have cannot be picked or left out", () => {
  // @ts-expect-error "titel" is not a field
  assert.throws(() => CreatePost.pick("titel"), /pick\("titel"\): CreatePost has the fields title, kind,/);
  // @ts-expect-error "titel" is not a field
  assert.throws(() => CreatePost.partial().omit("titel"), /omit\("titel"\): the DTO has the fields title, kind,/);
});
