import type { Input } from "../body/input.ts";
import { toFieldSchema } from "./field-schema.ts";
import { type FoundIssue, report } from "./found-issue.ts";
import type { Presence } from "./infer.ts";
import {
  type Direction,
  type JsonSchema,
  type StandardJsonSchema,
  type StandardSchema,
  toStandard,
} from "./standard-schema.ts";
import { type Grammar, type ParsedTags, parseTags } from "./tags.ts";

export interface ReadOptions extends Omit<Input, "value"> {
  /** Whether a handler returned the value: nothing is converted, and objects may be instances of a class. */
  readonly returned?: boolean;
}

/** How a value is written where there is only text: a flag, a variable, a query. "none" where that is not possible. */
export type TextForm = "plain" | "switch" | "list" | "json" | "none";

export type Reader<T> = (input: unknown, issues: FoundIssue[], options: ReadOptions) => T;
/** Copies what is declared. Undefined for a value that must not leave. It is never called with null or undefined. */
export type Select = (value: unknown) => unknown;

/** A DTO with a name, which a document writes once. */
export interface NamedSchema {
  readonly name: string;
  toObjectSchema(direction: Direction, refer?: Refer): JsonSchema;
}

/** What to write instead of a DTO with a name, such as a `$ref`; undefined to write the DTO itself. */
export type Refer = (dto: NamedSchema, direction: Direction) => JsonSchema | undefined;

/** What a field is: how its value is read, sent and documented. */
export interface Kind<T> {
  readonly name: string;
  readonly grammar: Grammar;
  readonly read: Reader<T>;
  /** Called once for each place where the field is sent. */
  readonly compileSelect: () => Select;
  /** Whether texts, numbers and booleans are sent as they are. */
  readonly isScalar?: boolean;
  readonly toSchema: (direction: Direction, refer: Refer | undefined) => JsonSchema;
  /** Defaults to "plain". */
  readonly textForm?: TextForm;
  /** Whether it is a text, for which "" is a value that "required" refuses. */
  readonly isText?: boolean;
  /** Bytes of a file that is read while it arrives. */
  readonly streamLimit?: number;
  /** Whether "" is a value that "required" accepts. */
  readonly keepsEmpty?: (options: ReadOptions) => boolean;
  /** Whether null is a value without the tag "nullable". */
  readonly keepsNull?: boolean;
}

interface FieldNotes {
  readonly letter?: string;
  readonly isSecret?: boolean;
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

/** One field of a DTO: what it is and its rules. `T`, `Present` and `R` are there for inference. */
export class Field<T = unknown, Present extends Presence = Presence, R = T> implements StandardSchema<unknown, T> {
  declare readonly output: T;
  /** What a handler may return for it. */
  declare readonly returned: R;
  readonly required: boolean;
  readonly nullable: boolean;
  /** Whether null is a value of it: it is nullable, or any JSON. */
  readonly keepsNull: boolean;
  /** Whether a bound object always has it: it is required or has a default. */
  readonly present: boolean;
  /** `present` for inference, where "default" is a value of its own. */
  declare readonly presence: Present;
  /** The value for an absent field; undefined without one. */
  readonly defaultValue: T | undefined;
  /** Its name in messages and in the help of a command. */
  readonly kind: string;
  readonly textForm: TextForm;
  readonly isText: boolean;
  /** Bytes of a file that is read while it arrives; undefined for any other field. */
  readonly streamLimit: number | undefined;
  readonly tags: readonly string[];
  /** The letter of its flag: `-l` for "l"; "" without one. */
  readonly letter: string;
  readonly isSecret: boolean;
  readonly description: string;
  readonly examples: readonly unknown[];
  readonly "~standard": StandardSchema<unknown, T>["~standard"] & StandardJsonSchema["~standard"];
  readonly #kind: Kind<T>;
  readonly #parsed: ParsedTags;

  constructor(kind: Kind<T>, tags: readonly string[], notes: FieldNotes = {}) {
    this.#kind = kind;
    this.#parsed = parseTags(kind.grammar, tags);
    this.required = this.#parsed.required;
    this.nullable = this.#parsed.nullable;
    this.keepsNull = this.nullable || kind.keepsNull === true;
    this.defaultValue = this.#parseDefault();
    this.present = this.required || this.defaultValue !== undefined;
    this.kind = kind.name;
    this.textForm = kind.textForm ?? "plain";
    this.isText = kind.isText === true;
    this.streamLimit = kind.streamLimit;
    this.tags = tags;
    this.letter = notes.letter ?? "";
    this.isSecret = notes.isSecret ?? false;
    this.description = notes.description ?? "";
    this.examples = notes.examples ?? [];
    this["~standard"] = toStandard<T>(this);
  }

  /** A copy that a command also takes as `-l`: `integer().alias("l")`. */
  alias(letter: string): Field<T, Present, R> {
    if (!/^[A-Za-z]$/.test(letter)) throw new TypeError(`"${letter}" is not one letter`);
    return this.#with({ letter });
  }

  /** A copy whose value a configuration never shows: `string("required").secret()`, see `defineConfig()`. */
  secret(): Field<T, Present, R> {
    return this.#with({ isSecret: true });
  }

  /** A copy with a description, for documents and the help of a command. */
  describe(description: string): Field<T, Present, R> {
    return this.#with({ description });
  }

  /** A copy with an example for documents, as a handler would return it. */
  example(value: R): Field<T, Present, R> {
    const issues: FoundIssue[] = [];
    this.parse(value, issues, { fromText: false, returned: true });
    const [issue] = issues;
    if (issue === undefined) return this.#with({ examples: [...this.examples, value] });
    throw new TypeError(`the example ${["of the field", ...issue.keys].join(" ")} ${issue.message}`);
  }

  /** A copy without `required` and `default=`. A text that was required stays one that is not empty. */
  optional(): Field<T, false, R> {
    const tags = this.tags.filter((tag) => tag !== "required" && !tag.startsWith("default="));
    const isBound = tags.some((tag) => /^(?:min|len|oneof)=/.test(tag));
    const refusesEmpty = this.isText && this.required && !isBound;
    return new Field<T, false, R>(this.#kind, refusesEmpty ? [...tags, "min=1"] : tags, this.#notes);
  }

  get #notes(): FieldNotes {
    const { letter, isSecret, description, examples } = this;
    return { letter, isSecret, description, examples };
  }

  #with(notes: FieldNotes): Field<T, Present, R> {
    return new Field(this.#kind, this.tags, { ...this.#notes, ...notes });
  }

  /** Its rules in words: `must be at least 1`. */
  rules(): string[] {
    return this.#parsed.rules.map((rule) => rule.message);
  }

  /** Whether it was left empty in a form and cannot hold an empty text. */
  isLeftEmpty(input: unknown, options: ReadOptions): boolean {
    if (options.fromForm !== true || input !== "") return false;
    const holdsEmpty = this.isText || this.#kind.keepsEmpty?.(options) === true;
    return !holdsEmpty || this.#parsed.rules.some((rule) => !rule.passes(""));
  }

  /** Reads a value that must be there, such as an item of a list. Each violation is added to `issues`. */
  parse(input: unknown, issues: FoundIssue[], options: ReadOptions): T {
    return this.#parse(input, issues, options, true) as T; // undefined only when there is an issue
  }

  /** Reads a value that may be absent when the field is not required. Undefined when it is absent or invalid. */
  parseMember(input: unknown, issues: FoundIssue[], options: ReadOptions): T | undefined {
    return this.#parse(input, issues, options, this.required || (options.returned === true && this.present));
  }

  #parse(given: unknown, issues: FoundIssue[], options: ReadOptions, needed: boolean): T | undefined {
    const returned = options.returned === true;
    const input = typeof given === "string" && !returned ? this.#toRead(given) : given;
    const refused = !returned && this.#isRefusedEmpty(input, options);
    const leftEmpty = this.isLeftEmpty(input, options) || (refused && options.fromForm === true);
    if (input === null ? this.keepsNull : this.nullable && leftEmpty) return null as T; // the type has null
    // null is not sent in a response; in a request it is a value of the wrong type
    if (input === undefined || (input === null && (needed || returned)) || leftEmpty || refused) {
      if (this.defaultValue !== undefined && input !== null && !returned) return this.defaultValue;
      if (needed) report(issues, "required", "is required");
      return undefined;
    }
    const count = issues.length;
    const value = this.#kind.read(input, issues, options);
    if (issues.length > count) return undefined;
    for (const rule of this.#parsed.rules) {
      if (!rule.passes(value)) report(issues, rule.name, rule.message);
    }
    return value;
  }

  #toRead(text: string): string {
    const { trim, lower } = this.#parsed;
    const trimmed = trim ? text.trim() : text;
    return lower ? trimmed.toLowerCase() : trimmed;
  }

  /** "" does not satisfy "required". */
  #isRefusedEmpty(input: unknown, options: ReadOptions): boolean {
    return input === "" && this.required && this.#kind.keepsEmpty?.(options) !== true;
  }

  #parseDefault(): T | undefined {
    const { defaultText: text, rules } = this.#parsed;
    if (text === undefined) return undefined;
    const issues: FoundIssue[] = [];
    const value = this.#kind.read(this.#toRead(text), issues, { fromText: true });
    const issue = issues[0] ?? rules.find((rule) => !rule.passes(value));
    if (issue !== undefined) throw new TypeError(`"default=${text}" ${issue.message}`);
    return value;
  }

  compileSelect(): Select {
    return this.#kind.compileSelect();
  }

  /** Whether texts, numbers and booleans are sent as they are. */
  get isScalar(): boolean {
    return this.#kind.isScalar === true;
  }

  toSchema(direction: Direction, refer?: Refer): JsonSchema {
    return toFieldSchema(this, this.#parsed, this.#kind.toSchema(direction, refer), direction);
  }
}
