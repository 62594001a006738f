import type { Issue } from "../errors.ts";
import { Dto } from "./dto.ts";
import { Field } from "./field.ts";
import { type Schema, type StandardResult, toIssue } from "./standard-schema.ts";
import { type FoundIssue, toIssues } from "./text.ts";

/**
 * Where a value that a handler returned breaks its schema. Nothing is converted: a default must be there, and white
 * space stays. An undeclared key is no mismatch, because it does not leave, see `compileSelect`.
 */
export function findMismatches(schema: Schema, value: unknown): Issue[] | Promise<Issue[]> {
  if (schema instanceof Dto || schema instanceof Field) {
    const issues: FoundIssue[] = [];
    schema.parse(value, issues, { fromText: false, returned: true });
    return toIssues(issues);
  }
  const result = schema["~standard"].validate(value);
  return result instanceof Promise ? result.then(toMismatches) : toMismatches(result);
}

function toMismatches({ issues }: StandardResult<unknown>): Issue[] {
  return issues?.map(toIssue) ?? [];
}
