import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "@tenon/core/platform";
import { findSchemaIssues, type SchemaOptions } from "../src/schema-issues.ts";

const string = { type: "string" };
const Post = { type: "object", properties: { id: string, tags: { type: "array", items: string } }, required: ["id"] };

/** `path rule` of each issue. */
const issuesOf = (schema: JsonSchema, value: unknown, options?: SchemaOptions) =>
  findSchemaIssues(schema, value, options).map(({ path, rule }) => `${path} ${rule}`.trim());

const cases: readonly [schema: JsonSchema, value: unknown, issues: readonly string[]][] = [
  [Post, { id: "1", tags: ["a"] }, []],
  [Post, { tags: ["a", 1], more: 1 }, ["id required", "tags.1 type", "more properties"]],
  [Post, null, ["type"]],
  [{ type: "object" }, { a: 1 }, []],
  [{ type: "object", additionalProperties: string }, { a: "x", b: 1 }, ["b type"]],
  [{ type: "object", properties: {}, additionalProperties: true }, { a: 1 }, []],
  [{ type: ["string", "null"] }, null, []],
  [{ type: ["string", "null"] }, 1, ["type"]],
  [{ type: "integer" }, 1.5, ["type"]],
  [{ const: 1 }, 2, ["const"]],
  [{ enum: ["a", { b: 1 }] }, { b: 1 }, []],
  [{ enum: ["a", "b"] }, "c", ["enum"]],
  [{ anyOf: [Post, string] }, "a", []],
  [{ oneOf: [string, Post] }, 5, ["type"]],
  [{ oneOf: [Post, string] }, {}, ["id required"]],
  [{ allOf: [Post, { properties: { more: string } }] }, { id: "1", more: 1 }, ["more type"]],
  [{ type: "array", prefixItems: [string], items: false }, ["a"], []],
  [{ minimum: 1, maximum: 2 }, 3, ["maximum"]],
  [{ minLength: 2, maxLength: 3, pattern: "^a" }, "b", ["minLength", "pattern"]],
  [{ minLength: 2 }, "\u{1f600}", ["minLength"]],
  [{ minItems: 1, maxItems: 2 }, [], ["minItems"]],
  [{ minProperties: 1, maxProperties: 2 }, {}, ["minProperties"]],
  [{ format: "uuid" }, "x", ["format"]],
  [{ format: "date-time" }, "2024-01-01T00:00:00Z", []],
  [{ format: "of another library" }, "x", []],
];

for (const [schema, value, issues] of cases) {
  test(`${JSON.stringify(value)} by ${JSON.stringify(schema)}: ${issues.join(", ") || "no issue"}`, () =>
    assert.deepEqual(issuesOf(schema, value), issues));
}

test("references are resolved, and an open schema allows other properties", () => {
  const resolve = (schema: JsonSchema) => (schema.$ref === "Post" ? Post : schema);
  assert.deepEqual(issuesOf({ $ref: "Post" }, {}, { resolve }), ["id required"]);
  assert.deepEqual(issuesOf(Post, { id: "1", more: 1 }, { isOpen: true }), []);
});
