import type { Input } from "../body/input.ts";
import { BindError } from "../support/errors.ts";
import { Dto, type Infer } from "./dto.ts";
import { Field } from "./field.ts";
import { validateByStandard } from "./foreign-text.ts";
import { type FoundIssue, toIssues } from "./found-issue.ts";
import type { InferOutput, Schema } from "./standard-schema.ts";

/** Returns the value of a DTO or a field at once; only a schema of another library may return a promise. */
export function validate<S extends Schema>(schema: S, input: Input): InferOutput<S> | Promise<InferOutput<S>> {
  if (!(schema instanceof Dto || schema instanceof Field)) return validateByStandard(schema, input);
  const issues: FoundIssue[] = [];
  const value: unknown = schema.parse(input.value, issues, input);
  if (issues.length > 0) throw new BindError(toIssues(issues));
  return value;
}

/** The value as a DTO or a field reads it from JSON. Throws a `BindError`, which a handler need not catch: 400 with issues. */
export function parse<S extends Dto | Field>(schema: S, value: unknown): Infer<S> {
  return validate(schema, { value, fromText: false }) as Infer<S>; // no promise: it is not of another library
}
