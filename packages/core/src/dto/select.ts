import { Dto } from "./dto.ts";
import { Field, type Select } from "./field.ts";
import { type Schema, type StandardResult, toIssue } from "./standard-schema.ts";

/**
 * Copies what a schema declares, so that nothing else leaves with a response. Compile it once for each schema.
 *
 * A value of the wrong shape is dropped: an object, a list or a function where a scalar is declared, a scalar where an
 * object or a list is declared, a union without a known tag. It is left out of objects and records, and becomes null in
 * a list and as the whole value. A scalar of another type passes: it cannot carry an undeclared field.
 */
export function compileSelect(schema: Schema): (value: unknown) => unknown {
  if (!(schema instanceof Dto || schema instanceof Field)) return (value) => selectByStandard(schema, value);
  const select: Select = schema.compileSelect();
  return (value) => (value === undefined || value === null ? null : (select(value) ?? null));
}

/** Other libraries remove what they do not declare when they validate. */
function selectByStandard(schema: Schema, value: unknown): unknown {
  const result = schema["~standard"].validate(value);
  return result instanceof Promise ? result.then(toValue) : toValue(result);
}

function toValue(result: StandardResult<unknown>): unknown {
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(toIssue).map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  throw new Error(`the value does not match its schema: ${issues.join("; ")}`);
}
