import { Field, type Kind, type Reader, type ReadOptions } from "./field.ts";
import { decimalPattern, isEmail, isUrl, isUuid } from "./formats.ts";
import { type FoundIssue, report } from "./found-issue.ts";
import type { IsPresent, NullOf, Presence, TextOf } from "./infer.ts";
import type { JsonSchema } from "./standard-schema.ts";
import {
  type BooleanTag,
  type Grammar,
  type NumberTag,
  type PlainTag,
  plainTags,
  type RuleMaker,
  type StringTag,
} from "./tags.ts";

const singular: Readonly<Record<string, string>> = {
  characters: "character",
  items: "item",
  entries: "entry",
  bytes: "byte",
};

/** Without a unit the value itself is compared. `keywords` are those of JSON Schema for the lower and the upper bound. */
export function bounds(
  measure: (value: unknown, limit: number) => number,
  keywords: readonly [low: string, high: string],
  unit = "",
) {
  const make =
    (words: string, keys: readonly string[], passes: (size: number, limit: number) => boolean): RuleMaker =>
    (argument) => {
      const limit = Number(argument);
      if (!Number.isFinite(limit)) throw new TypeError(`a limit is a number, not "${argument}"`);
      const counted = limit === 1 ? singular[unit] : unit;
      return {
        message: unit === "" ? `must be ${words} ${limit}` : `must have ${words} ${limit} ${counted}`,
        passes: (value) => passes(measure(value, limit), limit),
        keywords: Object.fromEntries(keys.map((key) => [key, limit])),
      };
    };
  const [low, high] = keywords;
  return {
    min: make("at least", [low], (size, limit) => size >= limit),
    max: make("at most", [high], (size, limit) => size <= limit),
    len: make("exactly", keywords, (size, limit) => size === limit),
  };
}

export function toWords(argument = ""): string[] {
  return argument.split(" ").filter((word) => word !== "");
}

function allow(allowed: readonly unknown[]): ReturnType<RuleMaker> {
  return {
    message: `must be one of ${allowed.join(", ")}`,
    passes: (value) => allowed.includes(value),
    keywords: { enum: allowed },
  };
}

function plain(passes: (text: string) => boolean, message: string, format: string, inexact = false): RuleMaker {
  return () => ({ message, passes: (value) => passes(value as string), keywords: { format }, inexact }); // a string, by its kind
}

function pattern(source = "", message = `must match ${source}`): ReturnType<RuleMaker> {
  if (source === "") throw new TypeError('"pattern=" needs a regular expression: without one it would check nothing');
  const expression = new RegExp(source, "u");
  return {
    message,
    passes: (value) => expression.test(value as string), // a string, by its kind
    keywords: { pattern: source },
  };
}

/**
 * The code points of a text, counted only where its length does not decide: each takes one or two units. The text is
 * well-formed: other text was refused before any rule ran.
 */
function countCodePoints(text: string, limit: number): number {
  let count = text.length;
  if (count < limit || count > 2 * limit) return count;
  for (let index = 0; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800) count--; // the first half of a pair
  }
  return count;
}

const characters = bounds(
  (value, limit) => countCodePoints(value as string, limit), // a string, by its kind
  ["minLength", "maxLength"],
  "characters",
);
const numbers = bounds((value) => value as number, ["minimum", "maximum"]); // by its kind
export const textTags: Grammar = {
  modes: ["required", "nullable", "trim", "lower", "default"],
  rules: {
    email: plain(isEmail, "must be an e-mail address", "email"),
    url: plain(isUrl, "must be an http or https URL", "uri", true), // "uri" allows every scheme
    uuid: plain(isUuid, "must be a UUID", "uuid"),
    decimal: () => pattern(decimalPattern, "must be a decimal number such as 12.50"),
    ...characters,
    oneof: (argument) => allow(toWords(argument)),
    pattern: (argument) => pattern(argument),
  },
};
export const numberTags: Grammar = {
  modes: ["required", "nullable", "default"],
  rules: { min: numbers.min, max: numbers.max, oneof: (argument) => allow(toWords(argument).map(Number)) },
};
export const scalarTags: Grammar = { modes: ["required", "nullable", "default"], rules: {} };

/** An object or a function could bring its own `toJSON`, or all of its fields. */
export function selectScalar(value: unknown): unknown {
  return typeof value === "object" || typeof value === "function" ? undefined : value;
}

type Facts<T> = Pick<Kind<T>, "name" | "grammar" | "textForm" | "isText" | "keepsEmpty">;

export function scalar<T, Present extends Presence>(
  facts: Facts<T>,
  schema: JsonSchema,
  tags: readonly string[],
  read: Reader<T>,
): Field<T, Present> {
  return new Field({ ...facts, read, compileSelect: () => selectScalar, isScalar: true, toSchema: () => schema }, tags);
}

/** Text. `string("oneof=note article")` is a `"note" | "article"`. */
export function string<const Tags extends readonly StringTag[]>(
  ...tags: Tags
): Field<TextOf<Tags> | NullOf<Tags>, IsPresent<Tags>> {
  return scalar({ name: "string", grammar: textTags, isText: true }, { type: "string" }, tags, (input, issues) => {
    if (typeof input === "string") reportUnstorable(input, issues);
    else report(issues, "string", "must be a string");
    return input as TextOf<Tags>; // not used when there is an issue, and the rule "oneof" checks the words
  });
}

export function number<const Tags extends readonly NumberTag[]>(
  ...tags: Tags
): Field<number | NullOf<Tags>, IsPresent<Tags>> {
  return scalar({ name: "number", grammar: numberTags }, { type: "number" }, tags, (input, issues, { fromText }) => {
    const value = fromText ? toNumber(input) : input;
    if (typeof value !== "number" || !Number.isFinite(value)) report(issues, "number", "must be a number");
    return value as number; // not used when there is an issue
  });
}

export function integer<const Tags extends readonly NumberTag[]>(
  ...tags: Tags
): Field<number | NullOf<Tags>, IsPresent<Tags>> {
  return scalar({ name: "integer", grammar: numberTags }, { type: "integer" }, tags, (input, issues, { fromText }) => {
    const value = fromText ? toInteger(input) : input;
    if (!Number.isSafeInteger(value)) report(issues, "integer", "must be a whole number");
    return value as number; // not used when there is an issue
  });
}

export function boolean<const Tags extends readonly BooleanTag[]>(
  ...tags: Tags
): Field<boolean | NullOf<Tags>, IsPresent<Tags>> {
  const facts = { name: "boolean", grammar: scalarTags, textForm: "switch" } as const;
  return scalar(facts, { type: "boolean" }, tags, (input, issues, { fromText }) => {
    const value = fromText ? toBoolean(input) : input;
    if (typeof value !== "boolean") report(issues, "boolean", "must be true or false");
    return value as boolean; // not used when there is an issue
  });
}

type Literal = string | number | boolean;

/** One of these values: `literal(["draft", 1, true])` is a `"draft" | 1 | true`. */
export function literal<const Values extends readonly Literal[], const Tags extends readonly PlainTag[]>(
  values: Values,
  ...tags: Tags
): Field<Values[number] | NullOf<Tags>, IsPresent<Tags>> {
  const allowed: readonly unknown[] = values;
  const facts = { name: "literal", grammar: plainTags, keepsEmpty: () => allowed.includes("") } as const;
  return scalar(facts, toLiteralSchema(values), tags, (input, issues, { fromText }) => {
    const value = fromText ? toLiteral(input, allowed) : input;
    if (!allowed.includes(value)) report(issues, "oneof", `must be one of ${values.join(", ")}`);
    return value as Values[number]; // not used when there is an issue
  });
}

function toLiteralSchema(values: readonly Literal[]): JsonSchema {
  const [type, ...others] = new Set(values.map((value) => typeof value));
  const typed = others.length === 0 ? { type } : {};
  return values.length === 1 ? { ...typed, const: values[0] } : { ...typed, enum: values };
}

function toLiteral(input: unknown, allowed: readonly unknown[]): unknown {
  const number = allowed.find((value) => typeof value === "number" && String(value) === input);
  return [input, number, toBoolean(input)].find((value) => allowed.includes(value));
}

/** Reports a text that some store cannot keep. */
export function reportUnstorable(text: string, issues: FoundIssue[]): void {
  if (text.includes("\0")) report(issues, "text", "contains U+0000");
  else if (!text.isWellFormed()) report(issues, "text", "is not well-formed Unicode");
}

const decimal = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)\s*$/;

/** Decimal digits only: Number() also takes 1e2, 0x10 and Infinity, which no one types into a form. */
export function toNumber(input: unknown): unknown {
  return typeof input === "string" && decimal.test(input) ? Number(input) : input;
}

const canonical = /^(?:0|-?[1-9]\d*)$/;

/** One spelling for each whole number, so that `/posts/7` has no twins such as `/posts/007`, `/posts/+7` or `/posts/7.0`. */
export function toInteger(input: unknown): unknown {
  return typeof input === "string" && canonical.test(input) ? Number(input) : input;
}

export function toBoolean(input: unknown): unknown {
  if (input === "true" || input === "1" || input === "on") return true;
  if (input === "false" || input === "0" || input === "off") return false;
  return input;
}

/** In a form, one value is a list of one: a comma belongs to the text. */
export function toList(input: unknown, { fromText, fromForm }: ReadOptions): unknown {
  if (!fromText || Array.isArray(input)) return input;
  if (fromForm === true) return [input];
  return typeof input === "string" ? input.split(",") : input;
}
