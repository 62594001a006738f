import assert from "node:assert/strict";
import { test } from "node:test";
import { BindError, type Schema } from "@tenon/core";
import { type } from "arktype";
import * as v from "valibot";
import * as z from "zod";
import { validate } from "../../src/schema/dto.ts";
import { convertText } from "../../src/schema/foreign-schema.ts";
import type { StandardJsonSchema } from "../../src/schema/standard-schema.ts";
import { asForm, asText } from "./read.ts";

const ZodQuery = z.object({
  limit: z.int().min(1).default(20),
  ratio: z.number().nullable().optional(),
  open: z.boolean().optional(),
  ids: z.array(z.int()).optional(),
  tags: z.array(z.string()).optional(),
  size: z.literal([1, 2]).optional(),
  either: z.union([z.number(), z.string()]).optional(),
  text: z.string().optional(),
});
const ArkTypeQuery = type({
  "limit?": "number.integer",
  "ratio?": "number | null",
  "open?": "boolean",
  "ids?": "number[]",
  "tags?": "string[]",
  "size?": "1 | 2",
  "either?": "number | string",
  "text?": "string",
});
for (const [name, schema] of [
  ["Zod", ZodQuery],
  ["ArkType", ArkTypeQuery],
] as const) {
  test(`text becomes the numbers, booleans and lists that a schema of ${name} expects`, async () => {
    const value = {
      limit: "5",
      ratio: "1.5",
      open: "true",
      ids: "1,2",
      tags: "a,b",
      size: "2",
      either: "7",
      text: "8",
    };
    assert.deepEqual(await validate(schema, { value, ...asText }), {
      limit: 5,
      ratio: 1.5,
      open: true,
      ids: [1, 2],
      tags: ["a", "b"],
      size: 2,
      either: "7",
      text: "8",
    });
  });

  test(`a form of a schema of ${name} repeats names and leaves fields empty`, async () => {
    const value = { limit: "1", ratio: "", ids: ["1", "", "2"], tags: "a,b", text: "", open: "on" };
    assert.deepEqual(await validate(schema, { value, ...asForm }), {
      limit: 1,
      ids: [1, 2],
      tags: ["a,b"],
      text: "",
      open: true,
    });
  });

  test(`text that does not fit is an issue of ${name}, and JSON is not converted`, async () => {
    const rejectsAt = (path: string) => (error: unknown) =>
      error instanceof BindError && error.issues[0]?.path === path;
    await assert.rejects(async () => validate(schema, { value: { limit: "x" }, ...asText }), rejectsAt("limit"));
    for (const limit of [" 1", "+1", "1.0", "007"]) {
      await assert.rejects(async () => validate(schema, { value: { limit }, ...asText }), rejectsAt("limit"), limit);
    }
    await assert.rejects(async () => validate(schema, { value: { ids: "1,x" }, ...asText }), rejectsAt("ids.1"));
    await assert.rejects(async () => validate(schema, { value: { limit: "5" }, fromText: false }), rejectsAt("limit"));
  });
}

test("a schema without a JSON Schema gets the text as it is", () => {
  const value = { a: "1", b: ["2"] };
  assert.deepEqual(convertText(v.object({ a: v.number() }), value, asText), value);
  for (const other of ["1", null, ["1"]]) assert.deepEqual(convertText(ZodQuery, other, asText), other);
});

test("references, alternatives and constants of a JSON Schema are followed", () => {
  const jsonSchema = () => ({
    $ref: "#/$defs/Query",
    $defs: {
      Query: {
        properties: {
          a: { $ref: "#/$defs/Count" },
          b: { oneOf: [{ type: "null" }, { $ref: "#/$defs/Count" }] },
          c: { const: 3 },
          d: true,
          e: { type: "array" },
          f: { type: "array", items: true },
          g: { $ref: "#/$defs/Unknown" },
        },
      },
      Count: { type: "integer" },
    },
  });
  const schema = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  } satisfies Schema & StandardJsonSchema;
  const input = { a: "1", b: "2", c: "3", d: "4", e: "5,6", f: "7", g: "8", h: "9" };
  const expected = { a: 1, b: 2, c: 3, d: "4", e: ["5", "6"], f: ["7"], g: "8", h: "9" };
  assert.deepEqual(convertText(schema, input, asText), expected);
  assert.deepEqual(convertText(schema, input, asText), expected, "also the second time");
});
