import assert from "node:assert/strict";
import { test } from "node:test";
import {
  array,
  boolean,
  date,
  dto,
  type Field,
  file,
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
import type { JsonSchema } from "@tenon/core/platform";
import { type } from "arktype";
import * as v from "valibot";
import * as z from "zod";

const fields: readonly [field: Field, schema: JsonSchema][] = [
  [string(), { type: "string" }],
  [string("required"), { type: "string", minLength: 1 }],
  [string("required", "min=3", "max=5"), { type: "string", minLength: 3, maxLength: 5 }],
  [string("len=2"), { type: "string", minLength: 2, maxLength: 2 }],
  [string("min=1", "len=2"), { type: "string", minLength: 1, maxLength: 2, allOf: [{ minLength: 2 }] }],
  [string("email"), { type: "string", format: "email" }],
  [string("url"), { type: "string", format: "uri", description: "Must be an http or https URL." }],
  [string("uuid"), { type: "string", format: "uuid" }],
  [string("decimal"), { type: "string", pattern: "^(?:(?:0|-?[1-9][0-9]*)(?:\\.[0-9]+)?|-0\\.0*[1-9][0-9]*)$" }],
  [string("pattern=^a"), { type: "string", pattern: "^a" }],
  [string("trim").describe("A name."), { type: "string", description: "A name. White space around it is removed." }],
  [string("required", "oneof=a b"), { type: "string", enum: ["a", "b"] }],
  [string("oneof=a b", "nullable"), { type: ["string", "null"], enum: ["a", "b", null] }],
  [string("default=x"), { type: "string", default: "x" }],
  [number("min=-1.5", "max=2"), { type: "number", minimum: -1.5, maximum: 2 }],
  [number("oneof=1 2.5"), { type: "number", enum: [1, 2.5] }],
  [integer("min=1", "default=20"), { type: "integer", minimum: 1, default: 20 }],
  [boolean("nullable", "default=false"), { type: ["boolean", "null"], default: false }],
  [date(), { type: "string", format: "date" }],
  [timestamp("nullable"), { type: ["string", "null"], format: "date-time" }],
  [timestamp().example(new Date(0)), { type: "string", format: "date-time", examples: ["1970-01-01T00:00:00.000Z"] }],
  [literal(["a", "b"]), { type: "string", enum: ["a", "b"] }],
  [literal([true]), { type: "boolean", const: true }],
  [literal([true], "nullable"), { anyOf: [{ type: "boolean", const: true }, { type: "null" }] }],
  [literal(["a", 1]), { enum: ["a", 1] }],
  [literal(["a", 1], "nullable"), { anyOf: [{ enum: ["a", 1] }, { type: "null" }] }],
  [array(integer(), "min=1", "max=3"), { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 3 }],
  [
    record(boolean(), "min=1", "max=2"),
    { type: "object", additionalProperties: { type: "boolean" }, minProperties: 1, maxProperties: 2 },
  ],
  [nested(dto({ a: string() })), { type: "object", properties: { a: { type: "string" } } }],
  [json(), {}],
  [json("nullable"), {}],
  [file("max=9"), { type: "string", format: "binary", contentMediaType: "application/octet-stream", maxLength: 9 }],
  [file("type=image/png"), { type: "string", format: "binary", contentMediaType: "image/png" }],
  [
    file("type=image/png image/jpeg"),
    { type: "string", format: "binary", description: "Must be of type image/png, image/jpeg." },
  ],
];
for (const [field, schema] of fields) {
  test(`the JSON Schema of ${field.kind} ${field.tags.join(" ")} is ${JSON.stringify(schema)}`, () => {
    assert.deepEqual(toJsonSchema(field, "input"), schema);
  });
}

const Post = dto("Post", {
  id: integer("required"),
  title: string("required"),
  kind: string("oneof=note article", "default=note"),
  note: string("nullable"),
});

test("requests require what is required, responses also what has a default", () => {
  const input = toJsonSchema(Post, "input");
  assert.deepEqual(input.required, ["id", "title"]);
  assert.equal("additionalProperties" in input, false);
  assert.deepEqual(toJsonSchema(Post, "output"), {
    type: "object",
    properties: {
      id: { type: "integer" },
      title: { type: "string" },
      kind: { type: "string", enum: ["note", "article"] },
      note: { type: ["string", "null"] },
    },
    required: ["id", "title", "kind"],
  });
});

test("a strict DTO allows no other properties in requests", () => {
  assert.equal(toJsonSchema(Post.strict(), "input").additionalProperties, false);
  assert.equal("additionalProperties" in toJsonSchema(Post.strict(), "output"), false);
});

test("a named DTO may be replaced by a reference, wherever it is", () => {
  const refer = (named: { name: string }, direction: string) => ({ $ref: `#/${named.name}/${direction}` });
  const Page = dto({ posts: array(Post, "required"), first: nested(Post, "nullable").describe("The newest.") });
  assert.deepEqual(toJsonSchema(Page, "output", refer), {
    type: "object",
    properties: {
      posts: { type: "array", items: { $ref: "#/Post/output" } },
      first: { anyOf: [{ $ref: "#/Post/output" }, { type: "null" }], description: "The newest." },
    },
    required: ["posts"],
  });
  assert.deepEqual(toJsonSchema(Post, "input", refer), { $ref: "#/Post/input" });
  assert.equal(toJsonSchema(Post, "input", () => undefined).type, "object");
});

test("a union has one schema for each variant, with its tag", () => {
  const refer = (named: { name: string }) => (named.name === "Square" ? { $ref: "#/Square" } : undefined);
  const Shape = union("kind", {
    circle: dto({ radius: number("required") }),
    square: dto("Square", { side: number() }),
    dot: dto("Dot", {}),
  });
  assert.deepEqual(toJsonSchema(Shape, "output", refer), {
    oneOf: [
      {
        type: "object",
        properties: { kind: { type: "string", const: "circle" }, radius: { type: "number" } },
        required: ["kind", "radius"],
      },
      {
        allOf: [
          { $ref: "#/Square" },
          { type: "object", properties: { kind: { type: "string", const: "square" } }, required: ["kind"] },
        ],
      },
      { type: "object", properties: { kind: { type: "string", const: "dot" } }, required: ["kind"] },
    ],
  });
});

test("Zod and ArkType describe themselves, without $schema", () => {
  assert.deepEqual(toJsonSchema(z.object({ a: z.string().default("x") }), "input"), {
    type: "object",
    properties: { a: { type: "string", default: "x" } },
  });
  assert.deepEqual(toJsonSchema(z.object({ a: z.string().default("x") }), "output").required, ["a"]);
  assert.deepEqual(toJsonSchema(type({ a: "string > 1" }), "input"), {
    type: "object",
    properties: { a: { type: "string", minLength: 2 } },
    required: ["a"],
  });
});

test("a schema without a JSON Schema allows everything", () => {
  assert.deepEqual(toJsonSchema(v.object({ a: v.string() }), "input"), {});
  const dated = toJsonSchema(z.object({ a: z.date(), b: z.int() }), "input") as { properties: Record<string, object> };
  assert.deepEqual(dated.properties.a, {}, "Zod describes the other fields");
  const refuse = () => {
    throw new Error("a date is not JSON");
  };
  const schema = type({ at: "Date" })["~standard"];
  const refused = { "~standard": { ...schema, jsonSchema: { input: refuse, output: refuse } } };
  assert.deepEqual(toJsonSchema(refused, "output"), {});
});

test("DTOs and fields are Standard JSON Schemas", () => {
  for (const target of ["draft-2020-12", "draft-07"]) {
    const { jsonSchema } = Post["~standard"];
    assert.deepEqual(jsonSchema.input({ target }), toJsonSchema(Post, "input"));
    assert.deepEqual(jsonSchema.output({ target }), toJsonSchema(Post, "output"));
    assert.deepEqual(array(string())["~standard"].jsonSchema.input({ target }), {
      type: "array",
      items: { type: "string" },
    });
  }
  assert.throws(() => Post["~standard"].jsonSchema.input({ target: "openapi-3.0" }), {
    name: "TypeError",
    message: 'a schema cannot be written for "openapi-3.0". Use draft-2020-12 or draft-07.',
  });
});

test("a DTO has a name that a document can use", () => {
  assert.equal(Post.name, "Post");
  assert.equal(dto({}).name, "");
  assert.equal(dto("a.B-c_1", {}).name, "a.B-c_1");
  for (const name of ["", "a b", "a/b", "ü", "#"]) {
    assert.throws(() => dto(name, {}), {
      name: "TypeError",
      message: `"${name}" cannot name a DTO: use letters, digits, "_", "." and "-"`,
    });
  }
});
