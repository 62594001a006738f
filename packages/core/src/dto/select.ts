import type { Issue } from "../errors.ts";
import { Dto } from "./dto.ts";
import { Field, type Select } from "./field.ts";
import { toJsonSchema } from "./json-schema.ts";
import { type JsonSchema, type Schema, type StandardResult, toIssue } from "./standard-schema.ts";

/**
 * Copies what a schema declares, so that nothing else leaves with a response. Compile it once for each schema.
 *
 * A value of the wrong shape is dropped: an object, a list or a function where a scalar is declared, a scalar where an
 * object or a list is declared, a union without a known tag. It is left out of objects and records, and becomes null in
 * a list and as the whole value. A scalar of another type passes: it cannot carry an undeclared field.
 */
export function compileSelect(schema: Schema): (value: unknown) => unknown {
  if (!(schema instanceof Dto || schema instanceof Field)) return compileByStandard(schema);
  const select: Select = schema.compileSelect();
  return (value) => (value === undefined || value === null ? null : (select(value) ?? null));
}

/** A returned value that a schema of another library does not accept. */
export class ReturnedMismatch extends Error {
  override readonly name = "ReturnedMismatch";
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(`the value does not match its schema: ${issues.map(describe).join("; ")}`);
    this.issues = issues;
  }
}

function describe({ path, message }: Issue): string {
  return path === "" ? message : `${path}: ${message}`;
}

/** Most libraries remove what they do not declare when they validate; ArkType keeps it, so its JSON Schema decides. */
function compileByStandard(schema: Schema): Select {
  const select = compileByJsonSchema(toJsonSchema(schema, "output"));
  const toValue = (result: StandardResult<unknown>): unknown => {
    if (result.issues !== undefined) throw new ReturnedMismatch(result.issues.map(toIssue));
    return select(result.value);
  };
  return (value) => {
    const result = schema["~standard"].validate(value);
    return result instanceof Promise ? result.then(toValue) : toValue(result);
  };
}

/** Objects whose properties are listed lose the others; what the schema does not describe stays. */
function compileByJsonSchema(schema: JsonSchema): Select {
  const { properties, additionalProperties = false, items } = schema as ObjectSchema; // by JSON Schema
  if (typeof items === "object") {
    const item = compileByJsonSchema(items);
    return (value) => (Array.isArray(value) ? value.map(item) : value);
  }
  if (properties === undefined || additionalProperties !== false) return (value) => value;
  const members = Object.entries(properties).map(([name, one]) => [name, compileByJsonSchema(one)] as const);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const selected: Record<string, unknown> = {};
    for (const [name, select] of members) {
      if (name in value) selected[name] = select((value as Record<string, unknown>)[name]); // it has the property
    }
    return selected;
  };
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: unknown;
  readonly items?: JsonSchema;
}
