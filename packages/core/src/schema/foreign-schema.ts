import type { Input } from "../body/input.ts";
import { BindError, type Issue } from "../support/errors.ts";
import type { ReadOptions } from "./field.ts";
import { addKey, type FoundIssue, maxIssues, toIssues } from "./found-issue.ts";
import { reportUnstorable, toBoolean, toInteger, toList, toNumber } from "./scalars.ts";
import {
  describeStandard,
  type InferOutput,
  type JsonSchema,
  resolveRef,
  type Schema,
  toIssue,
} from "./standard-schema.ts";

/** Validates by a schema of another library. */
export async function validateByStandard<S extends Schema>(schema: S, input: Input): Promise<InferOutput<S>> {
  const issues: FoundIssue[] = [];
  cleanse(input.value, issues);
  if (issues.length > 0) throw new BindError(toIssues(issues));
  const value = input.fromText ? convertText(schema, input.value, input) : input.value;
  const result = await schema["~standard"].validate(value);
  if (result.issues !== undefined)
    throw new BindError(result.issues.map((issue) => withoutValue(toIssue(issue), value)));
  return result.value;
}

/** Some libraries quote the input in their messages, which may be a password. */
function withoutValue(issue: ReturnType<typeof toIssue>, input: unknown): Issue {
  let value = input;
  for (const key of issue.keys) value = (value as Record<string, unknown> | undefined)?.[key];
  return quotes(issue.message, value) ? { ...issue, message: "is invalid" } : issue;
}

function quotes(message: string, value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some((item) => quotes(message, item));
  const given = value === undefined || value === null ? "" : String(value);
  if (given === "" || given.length > message.length) return false;
  const text = RegExp.escape(given);
  return new RegExp(`(?<![\\p{L}\\p{N}])${text}(?![\\p{L}\\p{N}])`, "u").test(message); // not the "x" of "expected"
}

/** What a property may be, as far as its schema says. */
interface Target {
  readonly types: ReadonlySet<string>;
  /** What the items of a list may be. */
  readonly items: Target | undefined;
}
type Targets = ReadonlyMap<string, Target>;

/** A schema takes longer to describe than to apply. Nothing is kept for longer than the schema itself. */
const known = new WeakMap<Schema, Targets>();

/** Flags, queries and forms carry text: converts it to the numbers, booleans and lists that a foreign schema expects. */
export function convertText(schema: Schema, input: unknown, options: ReadOptions): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  const targets = known.get(schema) ?? findTargets(describeStandard(schema, "input"));
  known.set(schema, targets);
  const converted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const target = targets.get(name);
    if (target === undefined) converted[name] = value;
    else if (!isLeftEmpty(value, target, options)) converted[name] = convert(value, target, options);
  }
  return converted;
}

/** A form sends "" for a field that was left empty. */
function isLeftEmpty(value: unknown, { types }: Target, { fromForm }: ReadOptions): boolean {
  return fromForm === true && value === "" && !types.has("string");
}

/** Text that does not fit stays as it is, so that the schema reports it. */
function convert(value: unknown, target: Target, options: ReadOptions): unknown {
  const { types, items } = target;
  if (types.has("array")) {
    const list = toList(value, options);
    if (!Array.isArray(list) || items === undefined) return list;
    return list.flatMap((item) => (isLeftEmpty(item, items, options) ? [] : [convert(item, items, options)]));
  }
  if (types.has("string")) return value;
  const number = types.has("number") ? toNumber(value) : types.has("integer") ? toInteger(value) : undefined;
  if (typeof number === "number") return number;
  return types.has("boolean") ? toBoolean(value) : value;
}

function findTargets(root: JsonSchema): Targets {
  const { properties } = resolveRef(root, root);
  const targets = new Map<string, Target>();
  for (const [name, property] of Object.entries(toSchema(properties))) {
    const target = toTarget(toSchema(property), root);
    if (target.types.size > 0) targets.set(name, target);
  }
  return targets;
}

function toTarget(schema: JsonSchema, root: JsonSchema): Target {
  const branches = toBranches(schema, root);
  const types = new Set(branches.flatMap(typesOf));
  const items = branches.find((branch) => branch.items !== undefined)?.items;
  // one level: text holds no lists of lists
  const itemTypes = items === undefined ? [] : toBranches(toSchema(items), root).flatMap(typesOf);
  return { types, items: itemTypes.length === 0 ? undefined : { types: new Set(itemTypes), items: undefined } };
}

/** The schema itself, or the alternatives that it names. */
function toBranches(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  const whole = resolveRef(schema, root);
  const branches = whole.anyOf ?? whole.oneOf;
  return Array.isArray(branches) ? branches.map((branch) => resolveRef(toSchema(branch), root)) : [whole];
}

function typesOf({ type, enum: values, const: value }: JsonSchema): string[] {
  if (type !== undefined) return [type].flat().filter((name) => typeof name === "string");
  const allowed = Array.isArray(values) ? values : value === undefined ? [] : [value];
  return allowed.map((one) => typeof one);
}

function toSchema(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null ? (value as JsonSchema) : {}; // `true` is a schema too
}

/**
 * For schemas of other libraries: reports texts that a store cannot keep, keys included, and removes own `__proto__`
 * keys, which a careless merge would follow.
 */
export function cleanse(value: unknown, issues: FoundIssue[]): void {
  if (typeof value === "string") reportUnstorable(value, issues);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return; // the bytes of a file are not keys
  if (Object.hasOwn(value, "__proto__")) Reflect.deleteProperty(value, "__proto__");
  for (const [key, item] of Object.entries(value)) {
    if (issues.length >= maxIssues) return;
    const start = issues.length;
    reportUnstorable(key, issues);
    cleanse(item, issues);
    addKey(Array.isArray(value) ? Number(key) : key, issues, start);
  }
}
