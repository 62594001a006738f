import type { Issue } from "../errors.ts";
import type { StandardResult, StandardSchema } from "./standard-schema.ts";
import {
  type FieldKind,
  type ListTag,
  type NumberTag,
  type ParsedTags,
  type PlainTag,
  parseTags,
  type StringTag,
} from "./tags.ts";
import { findTextFault, maxIssues } from "./text.ts";

export interface ReadOptions {
  /** Flags and forms carry text only: numbers and booleans are read from it. */
  readonly fromText: boolean;
  /** Forms repeat a name where flags write a comma, and send "" for what was left empty. */
  readonly fromForm?: boolean;
}

interface FieldNotes {
  readonly letter?: string;
  readonly description?: string;
}

/** One field of a DTO: what it is and its rules. `T` and `Required` are there for inference. */
export class Field<T = unknown, Required extends boolean = boolean> {
  declare readonly output: T;
  readonly required: Required;
  readonly kind: string;
  readonly tags: readonly string[];
  /** Of its flag: `-l` for "l"; "" without one. */
  readonly letter: string;
  readonly description: string;
  readonly #family: FieldKind;
  readonly #rules: ParsedTags["rules"];
  readonly #read: Reader<T>;

  constructor(kind: string, family: FieldKind, tags: readonly string[], read: Reader<T>, notes: FieldNotes = {}) {
    const parsed = parseTags(family, tags);
    this.required = parsed.required as Required; // `string("required")` infers Required from the same tags
    this.kind = kind;
    this.tags = tags;
    this.letter = notes.letter ?? "";
    this.description = notes.description ?? "";
    this.#family = family;
    this.#rules = parsed.rules;
    this.#read = read;
  }

  /** The same field, which a command also takes as `-l`: `integer().short("l")`. */
  short(letter: string): Field<T, Required> {
    if (!/^[A-Za-z]$/.test(letter)) throw new TypeError(`"${letter}" is not one letter`);
    return new Field(this.kind, this.#family, this.tags, this.#read, { letter, description: this.description });
  }

  /** The same field with a word about it, for people who read the help of a command. */
  about(description: string): Field<T, Required> {
    return new Field(this.kind, this.#family, this.tags, this.#read, { letter: this.letter, description });
  }

  /** What its rules ask for, in words: `must be at least 1`. */
  rules(): string[] {
    return this.#rules.map((rule) => rule.message);
  }

  /** Whether it was left empty in a form, and empty is nothing that this field could hold. */
  isLeftEmpty(input: unknown, { fromForm }: ReadOptions): boolean {
    if (fromForm !== true || input !== "") return false;
    return this.kind !== "string" || this.#rules.some((rule) => !rule.passes(""));
  }

  /** Undefined when the field is absent or broken; what is broken is added to `issues`. */
  parse(input: unknown, path: string, issues: Issue[], options: ReadOptions): T | undefined {
    // null counts as left out, and "" does not satisfy "required"
    if (input === undefined || input === null || (input === "" && this.required) || this.isLeftEmpty(input, options)) {
      if (this.required) issues.push({ path, rule: "required", message: "is required" });
      return undefined;
    }
    const count = issues.length;
    const value = this.#read(input, path, issues, options);
    if (issues.length > count) return undefined;
    for (const rule of this.#rules) {
      if (!rule.passes(value)) issues.push({ path, rule: rule.name, message: rule.message });
    }
    return value;
  }
}

type Reader<T> = (input: unknown, path: string, issues: Issue[], options: ReadOptions) => T;
type IsRequired<Tags extends readonly string[]> = "required" extends Tags[number] ? true : false;

export type Fields = Readonly<Record<string, Field>>;
type OutputOf<F extends Field> = F["output"];
type RequiredNames<F extends Fields> = { [K in keyof F]: F[K]["required"] extends true ? K : never }[keyof F];
type Simplify<T> = { [K in keyof T]: T[K] };
type ObjectOf<F extends Fields> = Simplify<
  { [K in RequiredNames<F>]: OutputOf<F[K]> } & { [K in Exclude<keyof F, RequiredNames<F>>]?: OutputOf<F[K]> }
>;

/** The type that a DTO binds to. */
export type Infer<D extends Dto> = NonNullable<D["~standard"]["types"]>["output"];

export class Dto<T = unknown> implements StandardSchema<unknown, T> {
  readonly fields: Fields;
  readonly #entries: readonly (readonly [string, Field])[];
  readonly "~standard": StandardSchema<unknown, T>["~standard"];

  constructor(fields: Fields) {
    this.fields = fields;
    this.#entries = Object.entries(fields);
    this["~standard"] = { version: 1, vendor: "tenon", validate: (value) => this.#validate(value) };
  }

  /** Builds the object field by field: unknown keys and prototypes never pass. */
  parse(input: unknown, path: string, issues: Issue[], options: ReadOptions): T {
    const value: Record<string, unknown> = {};
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      issues.push({ path, rule: "object", message: "must be an object" });
      return value as T; // never used: there is an issue
    }
    for (const [name, field] of this.#entries) {
      const given = Object.hasOwn(input, name) ? (input as Record<string, unknown>)[name] : undefined;
      const parsed = field.parse(given, path === "" ? name : `${path}.${name}`, issues, options);
      if (parsed !== undefined) value[name] = parsed;
    }
    return value as T; // every field was read by its own rules
  }

  #validate(input: unknown): StandardResult<T> {
    const issues: Issue[] = [];
    const value = this.parse(input, "", issues, { fromText: false });
    if (issues.length === 0) return { value };
    return {
      issues: issues.map(({ path, message }) => ({ message, path: path === "" ? [] : path.split(".") })),
    };
  }
}

/** Declares what a body carries: `dto({ title: string("required"), published: boolean() })`. */
export function dto<const F extends Fields>(fields: F): Dto<ObjectOf<F>> {
  if (Object.hasOwn(fields, "__proto__")) throw new TypeError('"__proto__" cannot be a field');
  for (const [name, field] of Object.entries(fields)) {
    if (!(field instanceof Field))
      throw new TypeError(`"${name}" is not a field. Use string(), number() and the like.`);
    const twin = Object.keys(fields).find((other) => field.letter !== "" && fields[other]?.letter === field.letter);
    if (twin !== undefined && twin !== name)
      throw new TypeError(`"${twin}" and "${name}" have the same short("${field.letter}")`);
  }
  return new Dto<ObjectOf<F>>(Object.freeze({ ...fields }));
}

export function string<const Tags extends readonly StringTag[]>(...tags: Tags): Field<string, IsRequired<Tags>> {
  return new Field("string", "string", tags, (input, path, issues) => {
    if (typeof input !== "string") {
      issues.push({ path, rule: "string", message: "must be a string" });
      return "";
    }
    const fault = findTextFault(input);
    if (fault !== undefined) issues.push({ path, rule: "text", message: fault });
    return input;
  });
}

export function number<const Tags extends readonly NumberTag[]>(...tags: Tags): Field<number, IsRequired<Tags>> {
  return new Field("number", "number", tags, (input, path, issues, { fromText }) => {
    const value = fromText ? toNumber(input) : input;
    if (typeof value !== "number" || !Number.isFinite(value)) {
      issues.push({ path, rule: "number", message: "must be a number" });
    }
    return value as number;
  });
}

export function integer<const Tags extends readonly NumberTag[]>(...tags: Tags): Field<number, IsRequired<Tags>> {
  return new Field("integer", "integer", tags, (input, path, issues, { fromText }) => {
    const value = fromText ? toNumber(input) : input;
    if (!Number.isSafeInteger(value)) issues.push({ path, rule: "integer", message: "must be a whole number" });
    return value as number;
  });
}

export function boolean<const Tags extends readonly PlainTag[]>(...tags: Tags): Field<boolean, IsRequired<Tags>> {
  return new Field("boolean", "plain", tags, (input, path, issues, { fromText }) => {
    const value = fromText ? toBoolean(input) : input;
    if (typeof value !== "boolean") issues.push({ path, rule: "boolean", message: "must be true or false" });
    return value as boolean;
  });
}

export function array<T, const Tags extends readonly ListTag[]>(
  item: Field<T>,
  ...tags: Tags
): Field<T[], IsRequired<Tags>> {
  return new Field("array", "list", tags, (input, path, issues, options) => {
    const list = options.fromText && typeof input === "string" ? toList(input, options) : input;
    if (!Array.isArray(list)) {
      issues.push({ path, rule: "array", message: "must be a list" });
      return [];
    }
    const items: T[] = [];
    for (const [index, entry] of list.entries()) {
      if (issues.length >= maxIssues) break;
      if (item.isLeftEmpty(entry, options)) continue;
      const itemPath = `${path}.${index}`;
      // a hole in a list has no meaning, so an item is required whether or not its tags say so
      if (entry === undefined || entry === null) {
        issues.push({ path: itemPath, rule: "required", message: "is required" });
      } else items.push(item.parse(entry, itemPath, issues, options) as T); // undefined only when there is an issue
    }
    return items;
  });
}

export function nested<T, const Tags extends readonly PlainTag[]>(
  inner: Dto<T>,
  ...tags: Tags
): Field<T, IsRequired<Tags>> {
  return new Field("object", "plain", tags, (input, path, issues, options) =>
    inner.parse(input, path, issues, options),
  );
}

function toNumber(input: unknown): unknown {
  return typeof input === "string" && input.trim() !== "" ? Number(input) : input;
}

/** Of a form it is one item: a comma in it was typed, or stands in what was chosen. */
function toList(text: string, { fromForm }: ReadOptions): string[] {
  return fromForm === true ? [text] : text.split(",");
}

function toBoolean(input: unknown): unknown {
  if (input === "true" || input === "1" || input === "on") return true;
  if (input === "false" || input === "0") return false;
  return input;
}
