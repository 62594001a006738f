import assert from "node:assert/strict";
import { test } from "node:test";
import { array, boolean, type Dto, dto, type Field, type Infer, integer, nested, number, string } from "@tenon/core";
import type { Equal, Expect } from "../support/types.ts";
import { read, readField } from "./read.ts";

const kinds: readonly {
  title: string;
  field: Field;
  passes: readonly unknown[];
  fails: readonly unknown[];
  rule: string;
}[] = [
  {
    title: "a string",
    field: string(),
    passes: ["", "x", "ü🙂"],
    fails: [1, true, {}, [], ["x"]],
    rule: "string",
  },
  {
    title: "a number",
    field: number(),
    passes: [0, -1.5, 1e300],
    fails: ["1", "", true, {}, [1], Number.NaN, Number.POSITIVE_INFINITY],
    rule: "number",
  },
  {
    title: "an integer",
    field: integer(),
    passes: [0, -7, Number.MAX_SAFE_INTEGER],
    fails: [1.5, "1", 2 ** 53, 1e300, Number.NaN, false],
    rule: "integer",
  },
  { title: "a boolean", field: boolean(), passes: [true, false], fails: ["true", 1, 0, "", {}], rule: "boolean" },
  { title: "a list", field: array(string()), passes: [[], ["a", "b"]], fails: ["a", {}, 1], rule: "array" },
  {
    title: "an object",
    field: nested(dto({ a: string() })),
    passes: [{}, { a: "x" }],
    fails: ["a", 1, [], [{}], true],
    rule: "object",
  },
];
for (const { title, field, passes, fails, rule } of kinds) {
  test(`${title} accepts its own kind and nothing that only looks like it`, () => {
    for (const value of passes) assert.deepEqual(readField(field, value), value);
    for (const value of fails) assert.deepEqual(readField(field, value), [`f ${rule}`], JSON.stringify(value));
  });

  test(`${title} that is not required may be absent, and is then left out, but not null`, () => {
    assert.deepEqual(read(dto({ f: field }), {}), {});
    assert.deepEqual(read(dto({ f: field }), { f: null }), [`f ${rule}`]);
  });
}

const required: readonly [string, Field][] = [
  ["a string", string("required")],
  ["a number", number("required")],
  ["an integer", integer("required")],
  ["a boolean", boolean("required")],
  ["a list", array(string(), "required")],
  ["an object", nested(dto({}), "required")],
];
for (const [title, field] of required) {
  test(`${title} that is required refuses absent, null and the empty string`, () => {
    assert.deepEqual(read(dto({ f: field }), {}), ["f required"]);
    for (const value of [null, ""]) assert.deepEqual(readField(field, value), ["f required"]);
  });
}

test("required is about presence: 0, false, [] and {} satisfy it", () => {
  assert.equal(readField(number("required"), 0), 0);
  assert.equal(readField(boolean("required"), false), false);
  assert.deepEqual(readField(array(string(), "required"), []), []);
  assert.deepEqual(readField(nested(dto({}), "required"), {}), {});
});

test("issues have the path of each invalid value, all at once", () => {
  const Author = dto({ email: string("required", "email"), tags: array(string("min=2")) });
  const schema = dto({ title: string("required"), author: nested(Author, "required"), others: array(nested(Author)) });
  const input = {
    author: { email: "ada", tags: ["ok", "x", 3] },
    others: [{ email: "a@b.co" }, {}, null, "x", { email: "a@b.co", tags: "x" }],
  };
  assert.deepEqual(read(schema, input), [
    "title required",
    "author.email email",
    "author.tags.1 min",
    "author.tags.2 string",
    "others.1.email required",
    "others.2 required",
    "others.3 object",
    "others.4.tags array",
  ]);
});

test("a list of many invalid items has a bounded number of issues", () => {
  const result = readField(
    array(string()),
    Array.from({ length: 10_000 }, () => 1),
  );
  assert.equal((result as string[]).length, 100); // issues, see readField
});

test("unknown keys never pass, at any depth", () => {
  const schema = dto({ a: nested(dto({ b: string() })), list: array(nested(dto({ c: integer() }))) });
  assert.deepEqual(read(schema, { role: "admin", a: { b: "x", id: 1 }, list: [{ c: 1, d: 2 }] }), {
    a: { b: "x" },
    list: [{ c: 1 }],
  });
});

test("inherited values and prototypes never pass", () => {
  const schema = dto({ toString: string(), constructor: string(), a: string() });
  const input = JSON.parse('{"__proto__": {"a": "inherited"}, "constructor": "own"}') as object; // own __proto__ key
  const value = read(schema, input) as object; // there are no issues
  assert.deepEqual(Object.entries(value), [["constructor", "own"]]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.deepEqual(read(dto({ a: string() }), Object.create({ a: "inherited" })), {});
});

test("the input as a whole must be an object", () => {
  for (const input of [null, undefined, [], "x", 1, true]) assert.deepEqual(read(dto({}), input), ["object"]);
});

test("U+0000 and lone surrogates are refused with their path, in bound strings only", () => {
  const schema = dto({ a: string(), list: array(string()) });
  assert.deepEqual(read(schema, { a: "x\0y", list: ["fine", "\ud800"] }), ["a text", "list.1 text"]);
  assert.deepEqual(read(schema, { a: "🙂", other: "\0" }), { a: "🙂" });
});

test("__proto__ cannot be a field", () => {
  assert.throws(() => dto(JSON.parse('{"__proto__": 1}')), TypeError);
});

const Example = dto({
  title: string("required", "max=80"),
  note: string(),
  count: integer("required", "min=1"),
  ratio: number(),
  open: boolean("required"),
  tags: array(string("min=2"), "required"),
  author: nested(dto({ email: string("required", "email"), name: string() })),
});
interface ExpectedExample {
  title: string;
  note?: string;
  count: number;
  ratio?: number;
  open: boolean;
  tags: string[];
  author?: { email: string; name?: string };
}
const Noted = dto({ limit: integer("required").alias("l").describe("How many"), title: string().describe("What") });
export type InferChecks = [
  Expect<Equal<Infer<typeof Noted>, { limit: number; title?: string }>>,
  Expect<Equal<Infer<typeof Example>, ExpectedExample>>,
  Expect<Equal<Infer<Dto>, { [x: string]: unknown }>>,
];

export const misspelt = [
  // @ts-expect-error "requird" is not a tag
  () => string("requird"),
  // @ts-expect-error "min" needs a number
  () => string("min"),
  // @ts-expect-error "min=" needs a number
  () => string("min=x"),
  // @ts-expect-error "email" takes no value
  () => string("email=x"),
  // @ts-expect-error a default has a value
  () => string("default"),
  // @ts-expect-error "nullable" takes no value
  () => string("nullable=true"),
  // @ts-expect-error numbers have no e-mail rule
  () => number("email"),
  // @ts-expect-error numbers have no length
  () => integer("len=3"),
  // @ts-expect-error the default of a number is a number
  () => number("default=x"),
  // @ts-expect-error a boolean has no bounds
  () => boolean("min=1"),
  // @ts-expect-error the default of a boolean is true or false
  () => boolean("default=yes"),
  // @ts-expect-error lists have no "oneof"
  () => array(string(), "oneof=a b"),
  // @ts-expect-error nested objects bring their own rules
  () => nested(dto({}), "min=1"),
  // @ts-expect-error a text is not a field
  () => array("string"),
  // @ts-expect-error a text is not a field
  () => dto({ a: "required" }),
];

test("alias() and describe() return a copy of the field with a note, and do not change the original", () => {
  const plain = integer("required", "min=1");
  const noted = plain.alias("l").describe("How many to show");
  assert.deepEqual([plain.letter, plain.description], ["", ""]);
  assert.deepEqual([noted.letter, noted.description, noted.kind], ["l", "How many to show", "integer"]);
  assert.deepEqual(plain.describe("A").alias("x").description, "A");
  assert.equal(noted.required, true);
  assert.deepEqual(readField(noted, 0), ["f min"]);
  assert.deepEqual(readField(noted, null), ["f required"]);
  assert.equal(readField(noted, "5", true), 5);
});

test("alias() takes one letter, and a DTO has each letter once", () => {
  for (const letter of ["", "ab", "1", "-", "é"]) {
    assert.throws(() => string().alias(letter), { message: `"${letter}" is not one letter` });
  }
  assert.throws(() => dto({ a: string().alias("x"), b: string(), c: string().alias("x") }), {
    message: '"a" and "c" have the same alias("x")',
  });
  dto({ a: string().alias("x"), b: string().alias("X"), c: string() });
});

test("numbers, booleans and lists are parsed from text", () => {
  assert.equal(readField(number(), "1.5", true), 1.5);
  assert.equal(readField(integer(), "7", true), 7);
  for (const text of ["true", "1", "on"]) assert.equal(readField(boolean(), text, true), true);
  for (const text of ["false", "0", "off"]) assert.equal(readField(boolean(), text, true), false);
  assert.deepEqual(readField(array(integer()), "1,2", true), [1, 2]);
  assert.equal(readField(string(), "5", true), "5");
  assert.equal(readField(boolean(), true, true), true);
  for (const [field, text] of [
    [number(), "x"],
    [number(), " "],
    [number(), "Infinity"],
    [integer(), "0x10"],
    [integer(), "1.5"],
    [boolean(), "yes"],
  ] as const) {
    assert.ok(Array.isArray(readField(field, text, true)), `${field.kind} from ${text}`);
  }
});
