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
import { addKey, type FoundIssue, findTextFault, maxIssues } from "./text.ts";

export interface ReadOptions {
  /** Flags and forms carry text only: numbers and booleans are read from it. */
  readonly fromText: boolean;
  /** Forms repeat a name where flags write a comma, and send "" for an empty field. */
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
  /** The letter of its flag: `-l` for "l"; "" without one. */
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

  /** The same field, which a command also takes as `-l`: `integer().alias("l")`. */
  alias(letter: string): Field<T, Required> {
    if (!/^[A-Za-z]$/.test(letter)) throw new TypeError(`"${letter}" is not one letter`);
    return new Field(this.kind, this.#family, this.tags, this.#read, { letter, description: this.description });
  }

  /** The same field with a description, for the help of a command. */
  describe(description: string): Field<T, Required> {
    return new Field(this.kind, this.#family, this.tags, this.#read, { letter: this.letter, description });
  }

  /** Its rules in words: `must be at least 1`. */
  rules(): string[] {
    return this.#rules.map((rule) => rule.message);
  }

  /** Whether it was left empty in a form and cannot hold an empty text. */
  isLeftEmpty(input: unknown, { fromForm }: ReadOptions): boolean {
    if (fromForm !== true || input !== "") return false;
    return this.kind !== "string" || this.#rules.some((rule) => !rule.passes(""));
  }

  /** Undefined when the field is absent or invalid; each violation is added to `issues`. */
  parse(input: unknown, issues: FoundIssue[], options: ReadOptions): T | undefined {
    // null counts as absent, and "" does not satisfy "required"
    if (input === undefined || input === null || (input === "" && this.required) || this.isLeftEmpty(input, options)) {
      if (this.required) report(issues, "required", "is required");
      return undefined;
    }
    const count = issues.length;
    const value = this.#read(input, issues, options);
    if (issues.length > count) return undefined;
    for (const rule of this.#rules) {
      if (!rule.passes(value)) report(issues, rule.name, rule.message);
    }
    return value;
  }
}

type Reader<T> = (input: unknown, issues: FoundIssue[], options: ReadOptions) => T;
type OneOf<Tags extends readonly string[]> = Extract<Tags[number], `oneof=${string}`>;
type TextOf<Tags extends readonly string[]> = [OneOf<Tags>] extends [never]
  ? string
  : OneOf<Tags> extends `oneof=${infer List}`
    ? WordsOf<List>
    : string;
type WordsOf<List extends string> = string extends List
  ? string
  : List extends `${infer Word} ${infer Rest}`
    ? WordsOf<Word> | WordsOf<Rest>
    : List extends ""
      ? never
      : List;
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
  parse(input: unknown, issues: FoundIssue[], options: ReadOptions): T {
    const value: Record<string, unknown> = {};
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      report(issues, "object", "must be an object");
      return value as T; // never used: there is an issue
    }
    for (const [name, field] of this.#entries) {
      const given = Object.hasOwn(input, name) ? (input as Record<string, unknown>)[name] : undefined;
      const start = issues.length;
      const parsed = field.parse(given, issues, options);
      if (issues.length > start) addKey(name, issues, start);
      if (parsed !== undefined) value[name] = parsed;
    }
    return value as T; // every field was read by its own rules
  }

  #validate(input: unknown): StandardResult<T> {
    const issues: FoundIssue[] = [];
    const value = this.parse(input, issues, { fromText: false });
    if (issues.length === 0) return { value };
    return { issues: issues.map(({ keys, message }) => ({ message, path: keys })) };
  }
}

function report(issues: FoundIssue[], rule: string, message: string): void {
  issues.push({ keys: [], rule, message });
}

/** Declares what a body carries: `dto({ title: string("required"), published: boolean() })`. */
export function dto<const F extends Fields>(fields: F): Dto<ObjectOf<F>> {
  if (Object.hasOwn(fields, "__proto__")) throw new TypeError('"__proto__" cannot be a field');
  for (const [name, field] of Object.entries(fields)) {
    if (!(field instanceof Field))
      throw new TypeError(`"${name}" is not a field. Use string(), number() and the like.`);
    const twin = Object.keys(fields).find((other) => field.letter !== "" && fields[other]?.letter === field.letter);
    if (twin !== undefined && twin !== name)
      throw new TypeError(`"${twin}" and "${name}" have the same alias("${field.letter}")`);
  }
  return new Dto<ObjectOf<F>>(Object.freeze({ ...fields }));
}

/** Text. `string("oneof=note article")` is a `"note" | "article"`. */
export function string<const Tags extends readonly StringTag[]>(...tags: Tags): Field<TextOf<Tags>, IsRequired<Tags>> {
  return new Field("string", "string", tags, (input, issues) => {
    const fault = typeof input === "string" ? findTextFault(input) : undefined;
    if (typeof input !== "string") report(issues, "string", "must be a string");
    else if (fault !== undefined) report(issues, "text", fault);
    return input as TextOf<Tags>; // not used when there is an issue, and the rule "oneof" checks the words
  });
}

export function number<const Tags extends readonly NumberTag[]>(...tags: Tags): Field<number, IsRequired<Tags>> {
  return new Field("number", "number", tags, (input, issues, { fromText }) => {
    const value = fromText ? toNumber(input) : input;
    if (typeof value !== "number" || !Number.isFinite(value)) {
      report(issues, "number", "must be a number");
    }
    return value as number;
  });
}

export function integer<const Tags extends readonly NumberTag[]>(...tags: Tags): Field<number, IsRequired<Tags>> {
  return new Field("integer", "integer", tags, (input, issues, { fromText }) => {
    const value = fromText ? toNumber(input) : input;
    if (!Number.isSafeInteger(value)) report(issues, "integer", "must be a whole number");
    return value as number;
  });
}

export function boolean<const Tags extends readonly PlainTag[]>(...tags: Tags): Field<boolean, IsRequired<Tags>> {
  return new Field("boolean", "plain", tags, (input, issues, { fromText }) => {
    const value = fromText ? toBoolean(input) : input;
    if (typeof value !== "boolean") report(issues, "boolean", "must be true or false");
    return value as boolean;
  });
}

export function array<T, const Tags extends readonly ListTag[]>(
  item: Field<T>,
  ...tags: Tags
): Field<T[], IsRequired<Tags>> {
  return new Field("array", "list", tags, (input, issues, options) => {
    const list = options.fromText && typeof input === "string" ? toList(input, options) : input;
    if (!Array.isArray(list)) {
      report(issues, "array", "must be a list");
      return [];
    }
    const items: T[] = [];
    for (const [index, entry] of list.entries()) {
      if (issues.length >= maxIssues) break;
      if (item.isLeftEmpty(entry, options)) continue;
      const start = issues.length;
      // a hole in a list has no meaning, so an item is required even without the tag
      if (entry === undefined || entry === null) report(issues, "required", "is required");
      else items.push(item.parse(entry, issues, options) as T); // undefined only when there is an issue
      if (issues.length > start) addKey(index, issues, start);
    }
    return items;
  });
}

export function nested<T, const Tags extends readonly PlainTag[]>(
  inner: Dto<T>,
  ...tags: Tags
): Field<T, IsRequired<Tags>> {
  return new Field("object", "plain", tags, (input, issues, options) => inner.parse(input, issues, options));
}

function toNumber(input: unknown): unknown {
  return typeof input === "string" && input.trim() !== "" ? Number(input) : input;
}

/** In a form it is one item: a comma belongs to the text. */
function toList(text: string, { fromForm }: ReadOptions): string[] {
  return fromForm === true ? [text] : text.split(",");
}

function toBoolean(input: unknown): unknown {
  if (input === "true" || input === "1" || input === "on") return true;
  if (input === "false" || input === "0") return false;
  return input;
}
