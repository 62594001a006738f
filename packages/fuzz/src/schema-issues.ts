import { date, type Field, type Issue, parse, string, timestamp } from "@tenon/core";
import type { JsonSchema } from "@tenon/core/platform";

export interface SchemaOptions {
  /** The schema that another one refers to, such as by its `$ref`. Defaults to the schema itself. */
  readonly resolve?: (schema: JsonSchema) => JsonSchema;
  /** Whether properties that a schema does not list are allowed where it does not say. Defaults to false. */
  readonly isOpen?: boolean;
}

type Found = Issue & { readonly keys: readonly (string | number)[] };

/** Where a JSON value breaks a JSON Schema, by the keywords that documents of this framework use. */
export function findSchemaIssues(schema: JsonSchema, value: unknown, options: SchemaOptions = {}): Issue[] {
  return find(schema, value, [], options);
}

function find(schema: JsonSchema, value: unknown, keys: Found["keys"], options: SchemaOptions): Found[] {
  const known = options.resolve?.(schema) ?? schema;
  const issue = (rule: string, message: string): Found => ({ path: keys.join("."), keys, rule, message });
  const at = (key: string | number, part: JsonSchema, item: unknown) => find(part, item, [...keys, key], options);
  const { type, enum: values, oneOf, anyOf, allOf = [] } = known;
  const types = [type ?? []].flat();
  if (types.length > 0 && !types.some((name) => hasType(name, value))) {
    return [issue("type", `must be of type ${types.join(" or ")}`)];
  }
  if ("const" in known && !isSame(known.const, value))
    return [issue("const", `must be ${JSON.stringify(known.const)}`)];
  if (Array.isArray(values) && !values.some((one) => isSame(one, value))) {
    return [issue("enum", `must be one of ${values.map((one) => JSON.stringify(one)).join(", ")}`)];
  }
  const alternatives = (oneOf ?? anyOf ?? []) as readonly JsonSchema[]; // by JSON Schema
  const branches = alternatives.map((one) => find(one, value, keys, options));
  const [first] = branches;
  if (first !== undefined && branches.every((issues) => issues.length > 0)) return first;
  const rules = limits.flatMap(([keyword, breaks]) =>
    keyword in known && breaks(value, known[keyword])
      ? [issue(keyword, `breaks ${keyword} ${String(known[keyword])}`)]
      : [],
  );
  const parts = (allOf as readonly JsonSchema[]).flatMap((part) =>
    find(part, value, keys, { ...options, isOpen: true }),
  ); // as above
  if (Array.isArray(value)) {
    const items = typeof known.items === "object" ? (known.items as JsonSchema) : undefined; // false after a tuple
    return [...rules, ...parts, ...(items === undefined ? [] : value.flatMap((item, index) => at(index, items, item)))];
  }
  if (typeof value !== "object" || value === null) return [...rules, ...parts];
  const properties = (known.properties ?? {}) as Readonly<Record<string, JsonSchema>>; // as above
  const isClosed = options.isOpen !== true && "properties" in known && branches.length === 0 && !("allOf" in known);
  const { additionalProperties: others = !isClosed } = known;
  const entries = Object.entries(value).flatMap(([key, item]: [string, unknown]) => {
    const part = Object.hasOwn(properties, key) ? properties[key] : others;
    if (part === false)
      return [{ ...issue("properties", "is not declared"), path: [...keys, key].join("."), keys: [...keys, key] }];
    return typeof part === "object" && part !== null ? at(key, part as JsonSchema, item) : [];
  });
  const missing = ((known.required ?? []) as readonly string[])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ ...issue("required", "is required"), path: [...keys, name].join("."), keys: [...keys, name] }));
  return [...rules, ...parts, ...missing, ...entries];
}

function hasType(name: unknown, value: unknown): boolean {
  if (name === "integer") return Number.isInteger(value);
  if (name === "null") return value === null;
  if (name === "array") return Array.isArray(value);
  if (name === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === name;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

type Breaks = (value: unknown, limit: unknown) => boolean;

function measure<T>(isMeasured: (value: unknown) => value is T, sizeOf: (value: T) => number, sign: 1 | -1): Breaks {
  return (value, limit) => isMeasured(value) && sign * (sizeOf(value) - Number(limit)) > 0;
}

const isNumber = (value: unknown): value is number => typeof value === "number";
const isText = (value: unknown): value is string => typeof value === "string";
const isList = (value: unknown): value is unknown[] => Array.isArray(value);
const isObject = (value: unknown): value is object => hasType("object", value);
const lengthOf = (text: string) => [...text].length;

const formats: Readonly<Record<string, Field>> = {
  email: string("email"),
  uri: string("url"),
  uuid: string("uuid"),
  date: date(),
  "date-time": timestamp(),
};

function isOfFormat(text: string, name: string): boolean {
  const field = formats[name];
  try {
    if (field !== undefined) parse(field, text);
    return true;
  } catch {
    return false;
  }
}

const limits: readonly (readonly [keyword: string, breaks: Breaks])[] = [
  ["minimum", measure(isNumber, Number, -1)],
  ["maximum", measure(isNumber, Number, 1)],
  ["minLength", measure(isText, lengthOf, -1)],
  ["maxLength", measure(isText, lengthOf, 1)],
  ["minItems", measure(isList, (list) => list.length, -1)],
  ["maxItems", measure(isList, (list) => list.length, 1)],
  ["minProperties", measure(isObject, (value) => Object.keys(value).length, -1)],
  ["maxProperties", measure(isObject, (value) => Object.keys(value).length, 1)],
  ["pattern", (value, pattern) => isText(value) && !new RegExp(String(pattern), "u").test(value)],
  ["format", (value, format) => isText(value) && !isOfFormat(value, String(format))],
];
