import {
  fileRules,
  integerRules,
  listRules,
  numberRules,
  type Rule,
  type RuleMakers,
  recordRules,
  stringRules,
} from "./rules.ts";

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

/** Fields that take the same tags. */
export type FieldKind = "string" | "number" | "integer" | "boolean" | "date" | "list" | "record" | "file" | "plain";

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

interface Grammar {
  /** Tags that are not rules for a value. */
  readonly modes: readonly string[];
  readonly rules: RuleMakers;
}

const grammars: Record<FieldKind, Grammar> = {
  string: { modes: ["required", "nullable", "trim", "lower", "default"], rules: stringRules },
  number: { modes: ["required", "nullable", "default"], rules: numberRules },
  integer: { modes: ["required", "nullable", "default"], rules: integerRules },
  boolean: { modes: ["required", "nullable", "default"], rules: {} },
  date: { modes: ["required", "nullable", "default"], rules: {} },
  list: { modes: ["required", "nullable"], rules: listRules },
  record: { modes: ["required", "nullable"], rules: recordRules },
  file: { modes: ["required", "stream"], rules: fileRules },
  plain: { modes: ["required", "nullable"], rules: {} },
};

/** `["required", "min=8"]` → rules. Throws where the DTO is defined, so that a bad tag is found at start. */
export function parseTags(kind: FieldKind, tags: readonly string[]): ParsedTags {
  const { modes, rules: makers } = grammars[kind];
  const rules: Rule[] = [];
  const given = new Map<string, string | undefined>();
  for (const tag of tags) {
    const equals = tag.indexOf("=");
    const name = equals < 0 ? tag : tag.slice(0, equals);
    const argument = equals < 0 ? undefined : tag.slice(equals + 1);
    if (given.has(name)) throw new TypeError(`a field has the rule "${name}" twice`);
    given.set(name, argument);
    const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
    if (make !== undefined) rules.push({ name, ...make(argument) });
    else if (modes.includes(name)) checkMode(name, argument);
    else {
      const known = [...modes, ...Object.keys(makers)].join(", ");
      throw new TypeError(`"${tag}" is not a rule for this field. Rules: ${known}.`);
    }
  }
  checkBounds(given);
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

function checkMode(name: string, argument: string | undefined): void {
  if (name === "default" && argument === undefined) throw new TypeError('"default=" needs a value');
  if (name !== "default" && argument !== undefined) throw new TypeError(`"${name}" takes no value, not "${argument}"`);
}

/** Contradicting bounds would refuse every request. */
function checkBounds(given: ReadonlyMap<string, string | undefined>): void {
  for (const [low, high] of [
    ["min", "max"],
    ["min", "len"],
    ["len", "max"],
  ] as const) {
    if (Number(given.get(low)) > Number(given.get(high))) {
      throw new TypeError(`no value satisfies both "${low}=${given.get(low)}" and "${high}=${given.get(high)}"`);
    }
  }
}
