import { BindError } from "@tenon/core";
import { capitalize, keywords, toModuleNames, validateModuleName } from "../../names.ts";

export const fieldTypes = ["string", "text", "integer", "number", "boolean", "date", "timestamp", "ref"] as const;
export type FieldType = (typeof fieldTypes)[number];

/** A column of a resource. */
export interface Field {
  /** The name of the column: `title`, or `author_id` for `author:ref`. */
  readonly name: string;
  readonly type: FieldType;
  readonly isOptional: boolean;
  /** The resource that a ref refers to, in the plural; undefined for other types. */
  readonly target: string | undefined;
}

export const defaultFields: readonly Field[] = [
  { name: "title", type: "string", isOptional: false, target: undefined },
];
const mostFields = 50;
/** Every resource has these columns. */
const ownColumns = new Set(["id", "created_at", "updated_at"]);
/** Flags that every command has. */
const commonFlags = new Set(["json", "stdin", "help", "version"]);
const known = `the types are ${fieldTypes.join(", ")}, with ? for an optional field, such as title:string,note:text?`;

/** Parses `title:string,note:text?,author:ref,editor:ref:user?`. Throws with a reason that names the known types. */
export function parseFields(text: string): Field[] {
  const fields = text.split(",").map((spec) => parseField(spec.trim()));
  const names = fields.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refuse(`has ${twice} twice`);
  if (fields.length > mostFields) throw refuse(`must have at most ${mostFields} fields`);
  return fields;
}

/** The reason why fields are refused; undefined for valid ones. */
export function findFieldsFault(text: string): string | undefined {
  try {
    parseFields(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof BindError)) throw error;
    return error.issues[0]?.message;
  }
}

function parseField(spec: string): Field {
  const [name = "", typeText = "", targetText, ...rest] = spec.replace(/\?$/, "").split(":");
  const type = fieldTypes.find((one) => one === typeText);
  if (type === undefined || rest.length > 0 || (targetText !== undefined && type !== "ref")) {
    throw refuse(`has "${spec}", which is not <name>:<type>: ${known}`);
  }
  if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name) || name.length > 50) {
    throw refuse(`has the name "${name}": a name is lower-case words joined with _, such as due_on`);
  }
  const column = type === "ref" ? `${name}_id` : name;
  if (ownColumns.has(column)) throw refuse(`has ${column}, which every resource has already`);
  if (commonFlags.has(column) || keywords.includes(name)) throw refuse(`has the reserved word "${name}" as a name`);
  const isOptional = spec.endsWith("?");
  return { name: column, type, isOptional, target: type === "ref" ? toTarget(targetText ?? name) : undefined };
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
