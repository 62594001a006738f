import assert from "node:assert/strict";
import { test } from "node:test";
import {
  array,
  boolean,
  date,
  dto,
  type Field,
  type Infer,
  integer,
  json,
  literal,
  nested,
  number,
  record,
  string,
  timestamp,
  toJsonSchema,
  union,
} from "@tenon/core";
import type { Returned } from "@tenon/core/internal";
import type { Equal, Expect } from "../support/types.ts";
import { asForm, asText, read, readField } from "./read.ts";

const nullables: readonly [title: string, optional: Field, required: Field][] = [
  ["string", string("nullable"), string("nullable", "required")],
  ["number", number("nullable"), number("nullable", "required")],
  ["integer", integer("nullable"), integer("nullable", "required")],
  ["boolean", boolean("nullable"), boolean("nullable", "required")],
  ["date", date("nullable"), date("nullable", "required")],
  ["timestamp", timestamp("nullable"), timestamp("nullable", "required")],
  ["literal", literal(["a"], "nullable"), literal(["a"], "nullable", "required")],
  ["array", array(string(), "nullable"), array(string(), "nullable", "required")],
  ["record", record(string(), "nullable"), record(string(), "nullable", "required")],
  ["nested", nested(dto({}), "nullable"), nested(dto({}), "nullable", "required")],
  ["union", union("k", { a: dto({}) }, "nullable"), union("k", { a: dto({}) }, "nullable", "required")],
  ["json", json("nullable"), json("nullable", "required")],
];
for (const [title, optional, required] of nullables) {
  test(`null is a value of a nullable ${title}, and differs from absent`, () => {
    assert.deepEqual(read(dto({ f: optional }), { f: null }), { f: null });
    assert.deepEqual(read(dto({ f: optional }), {}), {});
    assert.deepEqual(read(dto({ f: required }), { f: null }), { f: null });
    assert.deepEqual(read(dto({ f: required }), {}), ["f required"]);
  });
}

test("a nullable field that a form leaves empty is null, unless it can hold an empty text", () => {
  assert.equal(readField(integer("nullable", "required"), "", asForm), null);
  assert.equal(readField(date("nullable"), "", asForm), null);
  assert.equal(readField(string("nullable", "min=1"), "", asForm), null);
  assert.equal(readField(string("nullable"), "", asForm), "");
  assert.equal(readField(string("nullable", "required"), "", asForm), null);
  assert.deepEqual(readField(string("nullable", "required"), ""), ["f required"]);
  assert.deepEqual(readField(string("required"), "", asForm), ["f required"]);
  assert.deepEqual(readField(integer("nullable"), "", asText), ["f integer"]);
});

const defaults: readonly [field: Field, value: unknown][] = [
  [string("default=note"), "note"],
  [string("default="), ""],
  [string("trim", "default= a "), "a"],
  [string("lower", "default=A"), "a"],
  [string("oneof=a b", "default=b"), "b"],
  [number("default=1.5", "min=1"), 1.5],
  [integer("default=0"), 0],
  [boolean("default=true"), true],
  [boolean("default=false"), false],
  [date("default=2026-01-05"), "2026-01-05"],
  [integer("nullable", "default=7"), 7],
];
for (const [field, value] of defaults) {
  test(`${field.kind} with ${field.tags.join(" ")} has its default when it is absent`, () => {
    assert.deepEqual(read(dto({ f: field }), {}), { f: value });
    assert.equal(field.defaultValue, value);
    assert.deepEqual([field.required, field.present], [false, true]);
    assert.deepEqual(readField(field, null), field.nullable ? null : [`f ${field.kind}`]);
    if (!field.nullable) assert.deepEqual(readField(array(field), [null]), ["f.0 required"]);
    assert.equal(read(field, undefined), value);
  });
}

test("what a form leaves empty is absent, unless the rules of the field allow an empty text", () => {
  const Event = dto({ seats: integer(), open: boolean(), tags: array(string()), site: string("url"), note: string() });
  const blank = { seats: "", open: "", tags: "", site: "", note: "" };
  assert.deepEqual(read(Event, blank, asForm), { note: "" });
  assert.deepEqual(read(array(integer()), ["", "3"], asForm), [3]);
  assert.deepEqual(read(array(string()), ["", "a"], asForm), ["", "a"]);
  assert.deepEqual(read(dto({ author: nested(Event) }), { author: "" }, asForm), {});
});

test("a default that breaks the other rules throws where the DTO is defined", () => {
  for (const make of [
    () => string("min=3", "default=ab"),
    () => integer("default=1.5"),
    () => date("default=2026-2-30"),
  ]) {
    assert.throws(make, TypeError);
  }
});

test("trim removes white space before the rules apply", () => {
  assert.equal(readField(string("trim", "max=2"), " \t ab\u00a0\n"), "ab");
  assert.deepEqual(readField(string("trim", "required"), "   "), ["f required"]);
  assert.deepEqual(readField(string("trim", "min=2"), " a "), ["f min"]);
  assert.deepEqual(readField(string("trim"), 1), ["f string"]);
});

test("lower puts a text into lower case before the rules apply", () => {
  assert.equal(readField(string("trim", "lower", "email"), " Ada@Example.com "), "ada@example.com");
  assert.equal(readField(string("lower", "oneof=a b"), "B"), "b");
  assert.deepEqual(toJsonSchema(dto({ f: string("lower") }), "input").properties, {
    f: { type: "string", description: "It is put into lower case." },
  });
});

test("pattern is a regular expression with the flag u, anywhere in the text", () => {
  const field = string("pattern=^[a-z]+(-[a-z]+)*$");
  assert.equal(readField(field, "a-b"), "a-b");
  assert.deepEqual(readField(field, "a--b"), ["f pattern"]);
  assert.equal(readField(string("pattern=^.$"), "🙂"), "🙂");
  assert.equal(readField(string("pattern=b=c"), "ab=cd"), "ab=cd");
});

test("a field is a Standard Schema of a value that must be there", async () => {
  const { validate, vendor, version } = array(integer("min=1"))["~standard"];
  assert.deepEqual([vendor, version], ["tenon", 1]);
  assert.deepEqual(await validate([1, 2]), { value: [1, 2] });
  assert.deepEqual(await validate([0]), { issues: [{ message: "must be at least 1", path: [0] }] });
  assert.deepEqual(await validate(undefined), { issues: [{ message: "is required", path: [] }] });
  assert.deepEqual(await string("nullable")["~standard"].validate(null), { value: null });
});

test("an example that breaks the rules throws where the DTO is defined", () => {
  assert.throws(() => integer("min=1").example(0), {
    name: "TypeError",
    message: "the example of the field must be at least 1",
  });
  assert.throws(() => array(string("min=2")).example(["ab", "c"]), {
    message: "the example of the field 1 must have at least 2 characters",
  });
  // @ts-expect-error an example has the type of the field
  assert.throws(() => string().example(1), TypeError);
  assert.deepEqual(timestamp().example(new Date(0)).examples, [new Date(0)]);
});

const Everything = dto("Everything", {
  title: string("required", "nullable"),
  note: string("nullable"),
  kind: string("oneof=a b", "default=a"),
  limit: integer("default=20"),
  open: boolean("default=true", "nullable"),
  day: date("required"),
  at: timestamp("required"),
  until: timestamp("nullable"),
  status: literal(["draft", 1, true], "required"),
  counts: record(integer(), "required"),
  moments: array(timestamp(), "required"),
  meta: json("required", "nullable"),
});
interface Expected {
  title: string | null;
  note?: string | null;
  kind: "a" | "b";
  limit: number;
  open: boolean | null;
  day: string;
  at: Date;
  until?: Date | null;
  status: "draft" | 1 | true;
  counts: Record<string, number>;
  moments: Date[];
}
interface ExpectedReturn {
  title: string | null;
  note?: string | null | undefined;
  kind: "a" | "b";
  limit: number;
  open: boolean | null;
  day: string;
  at: Date | string;
  until?: Date | string | null | undefined;
  status: "draft" | 1 | true;
  counts: Readonly<Record<string, number>>;
  moments: readonly (Date | string)[];
}
type Flat<T> = { [K in keyof T]: T[K] };
const List = array(dto({ at: timestamp("required") }));
export type Checks = [
  Expect<Equal<Flat<Omit<Infer<typeof Everything>, "meta">>, Flat<Expected>>>,
  Expect<Equal<Flat<Omit<Returned<typeof Everything>, "meta">>, Flat<ExpectedReturn>>>,
  Expect<Equal<null extends Infer<typeof Everything>["meta"] ? true : false, true>>,
  Expect<Equal<Infer<typeof List>, { at: Date }[]>>,
  Expect<Equal<Returned<typeof List>, readonly { at: Date | string }[]>>,
];
