/** The rules of a field, as tags. The compiler checks them: `string("requird")` does not compile. */
export type PlainTag = "required" | "nullable";
export type StringTag =
  | PlainTag
  | "trim"
  | "lower"
  | "email"
  | "url"
  | "uuid"
  | "decimal"
  | `min=${number}`
  | `max=${number}`
  | `len=${number}`
  | `oneof=${string}`
  | `pattern=${string}`
  | `default=${string}`;
export type NumberTag = PlainTag | `min=${number}` | `max=${number}` | `oneof=${string}` | `default=${number}`;
export type BooleanTag = PlainTag | "default=true" | "default=false";
export type DateTag = PlainTag | `default=${number}-${number}-${number}`;
export type ListTag = PlainTag | `min=${number}` | `max=${number}` | `len=${number}`;
export type RecordTag = PlainTag | `min=${number}` | `max=${number}`;
export type FileTag = "required" | "stream" | `max=${number}` | `type=${string}/${string}`;

export interface Rule {
  readonly name: string;
  /** What a value must be: `must be at least 1`. */
  readonly message: string;
  readonly passes: (value: unknown) => boolean;
  /** The rule in JSON Schema. */
  readonly keywords: Readonly<Record<string, unknown>>;
  /** Whether the keywords say less than the rule, so that a document needs the message too. */
  readonly inexact?: boolean;
}

/** The argument is the text after "=", undefined without one. */
export type RuleMaker = (argument: string | undefined) => Omit<Rule, "name">;
export type RuleMakers = Readonly<Record<string, RuleMaker>>;

export interface ParsedTags {
  readonly required: boolean;
  readonly nullable: boolean;
  /** Whether white space around a text is removed before the rules apply. */
  readonly trim: boolean;
  /** Whether a text is put into lower case before the rules apply. */
  readonly lower: boolean;
  /** As it is written in the tag; undefined without one. */
  readonly defaultText: string | undefined;
  readonly rules: readonly Rule[];
}

/** The tags that a kind of field takes. */
export interface Grammar {
  /** Tags that are not rules for a value. */
  readonly modes: readonly string[];
  readonly rules: RuleMakers;
}

export const plainTags: Grammar = { modes: ["required", "nullable"], rules: {} };

/** `["required", "min=8"]` → rules. Throws for a misspelt one where the DTO is defined: it would check nothing. */
export function parseTags({ modes, rules: makers }: Grammar, tags: readonly string[]): ParsedTags {
  const rules: Rule[] = [];
  const given = new Map<string, string | undefined>();
  for (const tag of tags) {
    const equals = tag.indexOf("=");
    const name = equals < 0 ? tag : tag.slice(0, equals);
    const argument = equals < 0 ? undefined : tag.slice(equals + 1);
    const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
    if (make !== undefined) rules.push({ name, ...make(argument) });
    else if (modes.includes(name)) given.set(name, argument);
    else {
      const known = [...modes, ...Object.keys(makers)].join(", ");
      throw new TypeError(`"${tag}" is not a rule for this field. Rules: ${known}.`);
    }
  }
  if (given.has("required") && given.has("default")) {
    throw new TypeError('a field is either "required" or has a "default="');
  }
  return {
    required: given.has("required"),
    nullable: given.has("nullable"),
    trim: given.has("trim"),
    lower: given.has("lower"),
    defaultText: given.get("default"),
    rules,
  };
}
