import { type Dto, dto, type Field } from "@tenon/core";
import type { ReadOptions } from "../../src/schema/field.ts";
import { type FoundIssue, toIssues } from "../../src/schema/found-issue.ts";

export const asText: ReadOptions = { fromText: true };
export const asForm: ReadOptions = { fromText: true, fromForm: true };

/** The value, or the issues as `path rule`. */
export function read(schema: Dto | Field, input: unknown, fromText: boolean | ReadOptions = false): unknown {
  const issues: FoundIssue[] = [];
  const value = schema.parse(input, issues, typeof fromText === "boolean" ? { fromText } : fromText);
  return issues.length === 0 ? value : toIssues(issues).map(({ path, rule }) => `${path} ${rule}`.trim());
}

/** The value of one field, or the rules that the value breaks. */
export function readField(field: Field, value: unknown, fromText: boolean | ReadOptions = false): unknown {
  const result = read(dto({ f: field }), { f: value }, fromText);
  return Array.isArray(result) ? result : (result as { f?: unknown }).f; // an object when there are no issues
}
