import type { Input } from "../body/input.ts";
import { BindError, type Issue } from "../support/errors.ts";
import { Dto, type Infer } from "./dto.ts";
import { Field } from "./field.ts";
import { validateByStandard } from "./foreign-schema.ts";
import { type FoundIssue, toIssues } from "./found-issue.ts";
import type { InferInput, InferOutput, Schema } from "./standard-schema.ts";

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

/**
 * Where a value that a handler returned breaks its schema. Nothing is converted: a default must be there, and white
 * space stays. An undeclared key is not an issue, because it is not sent: see `compileSelect`.
 */
export function findResultIssues(schema: Dto | Field, value: unknown): Issue[] {
  const issues: FoundIssue[] = [];
  schema.parse(value, issues, { fromText: false, returned: true });
  return toIssues(issues);
}

/** What a handler may return for a schema: for a timestamp also a Date, and for other libraries what they accept. */
export type Returned<S extends Schema> = S extends Dto | Field ? S["returned"] : Unchanged<InferInput<S>>;

/** Nothing that is returned is changed: lists may be readonly. */
type Unchanged<T> = T extends Date
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Unchanged<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Unchanged<T[Key]> }
      : T;
