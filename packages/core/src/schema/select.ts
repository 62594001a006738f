import type { Issue } from "../support/errors.ts";
import { Dto, findResultIssues } from "./dto.ts";
import { Field, type Select } from "./field.ts";
import {
  describeStandard,
  type JsonSchema,
  resolveRef,
  type Schema,
  type StandardResult,
  toIssue,
} from "./standard-schema.ts";

/**
 * Copies what a schema declares, so that nothing else leaves with a response. Compile it once for each schema.
 *
 * A value of the wrong shape is dropped: an object, a list or a function where a scalar is declared, a scalar where an
 * object or a list is declared, a union without a known tag. It is left out of objects and records, and becomes null in
 * a list and as the whole value. A scalar of another type passes: it cannot carry an undeclared field.
 *
 * With `isExact` a value that does not match is an `InvalidResult`, as it always is for a schema of another library.
 */
export function compileSelect(schema: Schema, isExact = false): (value: unknown) => unknown {
  if (!(schema instanceof Dto || schema instanceof Field)) return compileByStandard(schema);
  const select: Select = schema.compileSelect();
  return (value) => {
    const issues = isExact ? findResultIssues(schema, value) : [];
    if (issues.length > 0) throw new InvalidResult(issues);
    return value === undefined || value === null ? null : (select(value) ?? null);
  };
}

/** A returned value that a schema of another library does not accept, or from which no fields can be taken. */
export class InvalidResult extends Error {
  override readonly name = "InvalidResult";
  readonly issues: readonly Issue[];
  /** The status of the response. Defaults to 200. */
  readonly status: number;

  constructor(issues: readonly Issue[], status = 200) {
    const texts = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
    super(`the value does not match its schema: ${texts.join("; ")}`);
    this.issues = issues;
    this.status = status;
  }
}

/** An issue of a list with one row, as an issue of the whole list. */
export function atRow({ keys = [], ...issue }: Issue, index: number): Issue {
  const all = [index, ...keys.slice(1)];
  return { ...issue, keys: all, path: all.join(".") };
}

/** Most libraries remove what they do not declare when they validate; ArkType keeps it, so its JSON Schema decides. */
function compileByStandard(schema: Schema): Select {
  const select = compileByJsonSchema(describeStandard(schema, "output"));
  const toValue = (result: StandardResult<unknown>): unknown => {
    if (result.issues !== undefined) throw new InvalidResult(result.issues.map(toIssue));
    return select(result.value);
  };
  return (value) => {
    const result = schema["~standard"].validate(value);
    return result instanceof Promise ? result.then(toValue) : toValue(result);
  };
}

/** Objects whose properties are listed lose the others, at any depth; what the schema does not describe stays. */
function compileByJsonSchema(root: JsonSchema): Select {
  const selects = new Map<JsonSchema, Select>();
  const resolve = (schema: JsonSchema) => resolveRef(schema, root);
  const compile = (schema: JsonSchema): Select => {
    const target = resolve(schema);
    const known = selects.get(target);
    if (known !== undefined) return known;
    let select: Select = (value) => value;
    selects.set(target, (value) => select(value)); // a schema may contain itself
    select = compileKeywords(target, compile, resolve);
    return select;
  };
  return compile(root);
}

function compileKeywords(
  schema: JsonSchema,
  compile: (schema: JsonSchema) => Select,
  resolve: (schema: JsonSchema) => JsonSchema,
): Select {
  const { properties, additionalProperties, items, prefixItems, anyOf, oneOf } = schema as ObjectSchema; // by JSON Schema
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) {
    const branches = alternatives.map((branch) => ({ branch, select: compile(branch) }));
    return (value) => {
      if (typeof value !== "object" || value === null) return value;
      const counts = branches.map(({ branch }) => countMisfits(branch, value, resolve));
      return branches[counts.indexOf(Math.min(...counts))]?.select(value);
    };
  }
  if (isObjectSchema(items) || prefixItems !== undefined) {
    const first = prefixItems?.map(compile) ?? [];
    const rest = isObjectSchema(items) ? compile(items) : (item: unknown) => item;
    return (value) => (Array.isArray(value) ? value.map((item, index) => (first[index] ?? rest)(item)) : value);
  }
  const isOpen = additionalProperties === undefined ? properties === undefined : additionalProperties === true;
  if (isOpen) return (value) => value;
  const members = new Map(Object.entries(properties ?? {}).map(([name, one]) => [name, compile(one)]));
  const others = isObjectSchema(additionalProperties) ? compile(additionalProperties) : undefined;
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const record = value as Readonly<Record<string, unknown>>;
    const selected: Record<string, unknown> = {};
    for (const [name, select] of members) if (name in record) selected[name] = select(record[name]);
    if (others === undefined) return selected;
    for (const name of Object.keys(record)) if (!members.has(name)) selected[name] = others(record[name]);
    return selected;
  };
}

/** In how many places a value that the library accepts does not fit an alternative. Undeclared fields are left out anyway. */
function countMisfits(schema: JsonSchema, value: unknown, resolve: (schema: JsonSchema) => JsonSchema): number {
  const {
    type,
    enum: values,
    items,
    anyOf,
    oneOf,
    required = [],
    properties = {},
    ...rest
  } = resolve(schema) as ObjectSchema; // by JSON Schema
  const count = (part: unknown, inner: unknown) => (isObjectSchema(part) ? countMisfits(part, inner, resolve) : 0);
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) return Math.min(...alternatives.map((one) => count(one, value)));
  const allowed = "const" in rest ? [rest.const] : values;
  if (allowed?.includes(value) === false) return 1;
  const types = [type ?? []].flat();
  if (types.length > 0 && !types.some((name) => hasType(name, value))) return 1;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + count(items, item), 0);
  if (typeof value !== "object" || value === null) return 0;
  const missing = required.filter((name) => !Object.hasOwn(value, name)).length;
  return Object.entries(value).reduce((sum, [name, inner]) => sum + count(properties[name], inner), missing);
}

function hasType(name: string, value: unknown): boolean {
  if (name === "integer") return Number.isInteger(value);
  return name === (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
}

/** `true` and `false` are schemas too. */
function isObjectSchema(schema: unknown): schema is JsonSchema {
  return typeof schema === "object" && schema !== null;
}

interface ObjectSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: unknown;
  readonly items?: unknown;
  readonly prefixItems?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}
