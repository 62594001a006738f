import { follow, get, getEntries, getList, getText, isObject, type JsonObject, toSchemaName } from "./document.ts";
import { type Names, toComment, toKey, toLiteral } from "./identifiers.ts";

/** What is sent has no `readOnly` properties and may have read-only lists, what is received has no `writeOnly` ones. */
export type Form = "input" | "output";
export type UsedSchema = readonly [form: Form, schema: unknown];

/** Keywords that say something about the value, beside those that only describe it. */
const combiners = ["$ref", "allOf", "anyOf", "oneOf", "const", "enum"] as const;

/** Writes JSON Schemas as types. Components become declarations, and references to them their names. */
export class SchemaTypes {
  readonly #document: JsonObject;
  readonly #schemas: ReadonlyMap<string, unknown>;
  readonly #names = new Map<string, Readonly<Record<Form, string>>>();
  /** The components that operations refer to, directly or not. */
  readonly #used: Readonly<Record<Form, ReadonlySet<string>>>;

  constructor(document: JsonObject, names: Names, used: readonly UsedSchema[]) {
    this.#document = document;
    this.#schemas = new Map(getEntries(document, "components", "schemas"));
    this.#used = { input: this.#findUsed(used, "input"), output: this.#findUsed(used, "output") };
    const outputs = new Map([...this.#schemas.keys()].map((name) => [name, names.take(name)])); // before any other name
    for (const [name, output] of outputs) {
      this.#names.set(name, { output, input: this.#hasForms(name) ? names.take(`${output}Input`) : output });
    }
  }

  /** The declarations of all components. */
  *declare(): Generator<string> {
    for (const [name, { input, output }] of this.#names) {
      const isOnlySent = input === output && this.#used.input.has(name) && !this.#used.output.has(name);
      yield this.#declareOne(name, output, isOnlySent ? "input" : "output");
      if (input !== output) yield this.#declareOne(name, input, "input");
    }
  }

  toType(schema: unknown, form: Form, indent = ""): string {
    if (schema === false) return "never";
    if (!isObject(schema)) return "unknown";
    const parts = [...this.#combine(schema, form, indent)];
    const hasValues = "const" in schema || "enum" in schema;
    const own = hasValues || (parts.length > 0 && !hasMembers(schema)) ? "unknown" : this.#byType(schema, form, indent);
    const all = [...new Set([...parts, own])].filter((part) => part !== "unknown");
    if (all.length === 0) return "unknown";
    return all.length === 1 ? (all[0] ?? "") : all.map(group).join(" & ");
  }

  *#combine(schema: JsonObject, form: Form, indent: string): Generator<string> {
    const toType = (part: unknown) => this.toType(part, form, indent);
    const ref = getText(schema, "$ref");
    if (ref !== undefined) yield this.#refer(ref, form);
    if ("const" in schema) yield toLiteralType(get(schema, "const"));
    else if (Array.isArray(get(schema, "enum"))) yield toUnion(getList(schema, "enum").map(toLiteralType));
    for (const part of getList(schema, "allOf")) yield toType(part);
    for (const name of ["oneOf", "anyOf"]) {
      const options = getList(schema, name);
      if (options.length > 0) yield toUnion(options.map(toType));
    }
  }

  #refer(ref: string, form: Form): string {
    const name = toSchemaName(ref);
    const names = name === undefined ? undefined : this.#names.get(name);
    if (names !== undefined) return names[form];
    follow(this.#document, { $ref: ref }); // throws when there is no such part
    return "unknown"; // a part that is not a component may contain itself, and has no name
  }

  #byType(schema: JsonObject, form: Form, indent: string): string {
    const type = get(schema, "type");
    const types = Array.isArray(type) ? type : [type ?? inferType(schema)];
    return toUnion(types.map((name) => this.#ofType(name, schema, form, indent)));
  }

  #ofType(type: unknown, schema: JsonObject, form: Form, indent: string): string {
    switch (type) {
      case "string":
        return isBinary(schema) ? "Blob" : "string";
      case "integer":
      case "number":
        return "number";
      case "boolean":
      case "null":
        return type;
      case "array":
        return this.#toArray(schema, form, indent);
      case "object":
        return this.#toObject(schema, form, indent);
      default:
        return "unknown";
    }
  }

  #toArray(schema: JsonObject, form: Form, indent: string): string {
    const items = get(schema, "items");
    const list = `${group(this.toType(items ?? true, form, indent))}[]`;
    const first = getList(schema, "prefixItems").map((item) => this.toType(item, form, indent));
    const type = first.length === 0 ? list : `[${[...first, ...(isObject(items) ? [`...${list}`] : [])].join(", ")}]`;
    return form === "input" ? `readonly ${type}` : type;
  }

  #toObject(schema: JsonObject, form: Form, indent: string): string {
    const members = [...this.#members(schema, form, `${indent}  `)].join("");
    if (members !== "") return `{\n${members}${indent}}`;
    return `{ [name: string]: ${get(schema, "additionalProperties") === false ? "never" : "unknown"} }`;
  }

  *#members(schema: JsonObject, form: Form, indent: string): Generator<string> {
    const required = new Set(getList(schema, "required"));
    const hidden = form === "input" ? "readOnly" : "writeOnly";
    const seen = new Set<string>();
    for (const [name, property] of getEntries(schema, "properties")) {
      required.delete(name);
      if (get(property, hidden) === true) continue;
      const type = this.toType(property, form, indent);
      const isOptional = !getList(schema, "required").includes(name);
      seen.add(type).add(isOptional ? "undefined" : type);
      yield `${toSchemaComment(property, indent)}${indent}${toKey(name)}${isOptional ? "?" : ""}: ${type};\n`;
    }
    for (const name of required) {
      seen.add("unknown");
      if (typeof name === "string") yield `${indent}${toKey(name)}: unknown;\n`;
    }
    const more = [
      get(schema, "additionalProperties"),
      ...getEntries(schema, "patternProperties").map(([, part]) => part),
    ];
    const others = more.filter((part) => part === true || isObject(part));
    if (others.length === 0) return;
    // an index signature must accept the properties too
    const type = toUnion([...others.map((part) => this.toType(part, form, indent)), ...seen]);
    yield `${indent}[name: string]: ${type};\n`;
  }

  #declareOne(name: string, declared: string, form: Form): string {
    const schema = this.#schemas.get(name);
    const comment = toSchemaComment(schema, "");
    if (this.#isCircular(name)) return `${comment}export type ${declared} = unknown;\n`;
    const type = this.toType(schema, form);
    const isInterface =
      type.startsWith("{") &&
      isObject(schema) &&
      get(schema, "type") === "object" &&
      !combiners.some((name) => name in schema);
    return `${comment}${isInterface ? `export interface ${declared} ${type}` : `export type ${declared} = ${type};`}\n`;
  }

  /** Whether it is an alias of itself, which no type can be. */
  #isCircular(name: string): boolean {
    return reaches(
      name,
      (other) => this.#directRefs(this.#schemas.get(other)),
      (other) => other === name,
    );
  }

  /** The components that it is an alias of, or a union or intersection with. */
  #directRefs(schema: unknown): string[] {
    const ref = getText(schema, "$ref");
    const parts = ["allOf", "anyOf", "oneOf"].flatMap((key) => getList(schema, key));
    const inner = parts.flatMap((part) => this.#directRefs(part));
    return ref === undefined ? inner : [...inner, ...toNames(ref)];
  }

  /** Whether what is sent differs from what is received, here or in a component that it refers to. */
  #hasForms(name: string): boolean {
    const isInBoth = this.#used.input.has(name) && this.#used.output.has(name);
    const differs = (other: string) =>
      [...walk(this.#schemas.get(other))].some((part) => isOneWay(part) || (isInBoth && isList(part)));
    return differs(name) || reaches(name, (other) => allRefs(this.#schemas.get(other)), differs);
  }

  #findUsed(used: readonly UsedSchema[], form: Form): ReadonlySet<string> {
    const found = new Set(used.flatMap(([one, schema]) => (one === form ? allRefs(schema) : [])));
    for (const name of found) for (const ref of allRefs(this.#schemas.get(name))) found.add(ref); // grows as it is read
    return found;
  }
}

function toSchemaComment(schema: unknown, indent: string): string {
  const texts = [getText(schema, "title"), getText(schema, "description")];
  return toComment({ texts, isDeprecated: get(schema, "deprecated") === true }, indent);
}

export function toUnion(types: readonly string[]): string {
  const parts = [...new Set(types)];
  if (parts.includes("unknown") || parts.length === 0) return "unknown";
  return parts.length === 1 ? (parts[0] ?? "") : parts.join(" | ");
}

/** In parentheses, where an operator would take only part of it. */
function group(type: string): string {
  const isOneWord = /^[\p{ID_Continue}$]+(?:\[\])*$/u.test(type);
  const isString = /^"(?:[^"\\]|\\.)*"$/.test(type);
  return isOneWord || isString ? type : `(${type})`;
}

function toLiteralType(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toLiteralType).join(", ")}]`;
  if (!isObject(value)) return toLiteral(value);
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${toKey(name)}: ${toLiteralType(inner)}`)
    .join("; ")} }`;
}

function inferType(schema: JsonObject): string | undefined {
  if (hasMembers(schema)) return "object";
  return "items" in schema || "prefixItems" in schema ? "array" : undefined;
}

function hasMembers(schema: JsonObject): boolean {
  return ["properties", "required", "additionalProperties", "patternProperties"].some((name) => name in schema);
}

/** A file: OpenAPI 3.0 says `format: binary`, 3.1 a media type without an encoding. */
export function isBinary(schema: unknown): boolean {
  if (getText(schema, "format") === "binary") return true;
  return getText(schema, "contentMediaType") === "application/octet-stream" && !("contentEncoding" in Object(schema));
}

function isOneWay(part: JsonObject): boolean {
  return get(part, "readOnly") === true || get(part, "writeOnly") === true;
}

function isList(part: JsonObject): boolean {
  const type = get(part, "type") ?? inferType(part);
  return type === "array" || (Array.isArray(type) && type.includes("array"));
}

function allRefs(schema: unknown): string[] {
  return [...walk(schema)].flatMap((part) => toNames(getText(part, "$ref")));
}

function toNames(ref: string | undefined): string[] {
  const name = ref === undefined ? undefined : toSchemaName(ref);
  return name === undefined ? [] : [name];
}

function* walk(value: unknown): Generator<JsonObject> {
  if (isObject(value)) yield value;
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* walk(inner);
}

/** Whether a name that `isFound` accepts can be reached over the references. */
function reaches(name: string, refsOf: (name: string) => string[], isFound: (name: string) => boolean): boolean {
  const seen = new Set<string>();
  const open = refsOf(name);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isFound(next)) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...refsOf(next));
  }
  return false;
}
