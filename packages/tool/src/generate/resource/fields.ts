import { BindError } from "@tenon/core";
import { capitalize, keywords, toModuleNames, validateModuleName } from "../../names.ts";

export const fieldTypes = [
  "string",
  "text",
  "integer",
  "number",
  "decimal",
  "boolean",
  "date",
  "timestamp",
  "enum",
  "uuid",
  "json",
  "ref",
] as const;
export type FieldType = (typeof fieldTypes)[number];

/** A column of a resource. */
export interface Field {
  /** The name of the column: `title`, or `author_id` for `author:ref`. */
  readonly name: string;
  readonly type: FieldType;
  readonly isOptional: boolean;
  /** The resource that a ref refers to, in the plural; undefined for other types. */
  readonly target: string | undefined;
  /** The values of an enum; empty for other types. */
  readonly values: readonly string[];
}

export const defaultFields: readonly Field[] = [
  { name: "title", type: "string", isOptional: false, target: undefined, values: [] },
];
const mostFields = 50;
/** Every resource has these columns. */
const ownColumns = new Set(["id", "created_at", "updated_at"]);
/** Flags that every command has. */
const commonFlags = new Set(["json", "stdin", "help", "version"]);
const mostValues = 50;
const known = `the types are ${fieldTypes.join(", ")}, with ? for an optional field, such as title:string,note:text?,status:enum:draft,published`;

/**
 * Parses `title:string,note:text?,status:enum:draft,published,author:ref,editor:ref:user?`. Throws with a reason that
 * names the known types.
 */
export function parseFields(text: string): Field[] {
  const fields = splitFields(text).map(parseField);
  const names = fields.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refuse(`has ${twice} twice`);
  if (fields.length > mostFields) throw refuse(`must have at most ${mostFields} fields`);
  return fields;
}

/** The reason why fields are refused; undefined for valid ones. */
export function findFieldsIssue(text: string): string | undefined {
  try {
    parseFields(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof BindError)) throw error;
    return error.issues[0]?.message;
  }
}

/** A part without a colon is one more value of the enum before it. */
function splitFields(text: string): string[] {
  const specs: string[] = [];
  for (const part of text.split(",").map((one) => one.trim())) {
    const before = specs.at(-1);
    const isValue = before !== undefined && /^[^:]*:enum:.*[^?]$/.test(before) && !part.includes(":");
    if (isValue) specs.splice(-1, 1, `${before},${part}`);
    else specs.push(part);
  }
  return specs;
}

function parseField(spec: string): Field {
  const [name = "", typeText = "", detail, ...rest] = spec.replace(/\?$/, "").split(":");
  const type = fieldTypes.find((one) => one === typeText);
  const isDetailed = type === "enum" || (type === "ref" && detail !== undefined);
  if (type === undefined || rest.length > 0 || (detail !== undefined) !== isDetailed) {
    throw refuse(`has "${spec}", which is not <name>:<type>: ${known}`);
  }
  if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name) || name.length > 50) {
    throw refuse(`has the name "${name}": a name is lower-case words joined with _, such as due_on`);
  }
  const column = type === "ref" ? `${name}_id` : name;
  if (ownColumns.has(column)) throw refuse(`has ${column}, which every resource has already`);
  if (commonFlags.has(column) || keywords.includes(name)) throw refuse(`has the reserved word "${name}" as a name`);
  const isOptional = spec.endsWith("?");
  const target = type === "ref" ? toTarget(detail ?? name) : undefined;
  return { name: column, type, isOptional, target, values: type === "enum" ? toValues(name, detail ?? "") : [] };
}

function toValues(name: string, text: string): string[] {
  const values = text.split(",");
  const odd = values.find((value) => !/^[a-z0-9]+(?:[_-][a-z0-9]+)*$/i.test(value) || value.length > 50);
  if (odd !== undefined) {
    throw refuse(`has the value "${odd}" for ${name}: a value is letters and digits, such as draft or in_review`);
  }
  const twice = values.find((value, index) => values.indexOf(value) !== index);
  if (twice !== undefined) throw refuse(`has the value ${twice} twice for ${name}`);
  if (values.length > mostValues) throw refuse(`must have at most ${mostValues} values for ${name}`);
  return values;
}

function toTarget(name: string): string {
  const target = name.replaceAll("_", "-");
  const reason = validateModuleName(target);
  if (reason !== undefined) throw refuse(`refers to "${name}": a name of a resource ${reason}`);
  return toModuleNames(target).plural;
}

function refuse(message: string): BindError {
  return new BindError([{ path: "fields", rule: "fields", message }]);
}

/** The field that headings and links show. Without one they show the id. */
export function findLead(fields: readonly Field[]): Field | undefined {
  return fields.find(({ type, isOptional }) => (type === "string" || type === "text") && !isOptional);
}

/** The first field that must be given. */
export function findRequired(fields: readonly Field[]): Field | undefined {
  return fields.find(({ type, isOptional }) => type !== "boolean" && !isOptional);
}

export function targetsOf(fields: readonly Field[]): string[] {
  return [...new Set(fields.flatMap(({ target }) => target ?? []))];
}

/** `due_on` as a label: `Due on`. */
export function toLabel({ name, type }: Field): string {
  return capitalize((type === "ref" ? name.replace(/_id$/, "") : name).replaceAll("_", " "));
}
