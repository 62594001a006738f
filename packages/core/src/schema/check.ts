import type { Issue } from "../support/errors.ts";
import type { Dto } from "./dto.ts";
import type { Field } from "./field.ts";
import { type FoundIssue, toIssues } from "./found-issue.ts";

/**
 * Where a value that a handler returned breaks its schema. Nothing is converted: a default must be there, and white
 * space stays. An undeclared key is not a mismatch, because it is not sent: see `compileSelect`.
 */
export function findMismatches(schema: Dto | Field, value: unknown): Issue[] {
  const issues: FoundIssue[] = [];
  schema.parse(value, issues, { fromText: false, returned: true });
  return toIssues(issues);
}
