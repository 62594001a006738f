import { mediaTypeOf } from "../body/grammar.ts";
import { decimalPattern, isEmail, isMediaRange, isUrl, isUuid } from "./formats.ts";

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

type Side = "min" | "max" | "len";
type Unit = "characters" | "items" | "entries" | "bytes" | "number" | "whole number";
const singular: Partial<Record<Unit, string>> = {
  characters: "character",
  items: "item",
  entries: "entry",
  bytes: "byte",
};

function isCounted(unit: Unit): boolean {
  return singular[unit] !== undefined;
}

const decimal = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/; // no 0x10 and no blanks, which Number() takes

function parseLimit(tag: string, argument: string, unit: Unit): number {
  const limit = Number(argument);
  const fits = unit === "number" ? Number.isFinite(limit) : Number.isSafeInteger(limit);
  if (decimal.test(argument) && fits && (limit >= 0 || !isCounted(unit))) return limit;
  throw new TypeError(`"${tag}" needs a ${isCounted(unit) ? `whole number of ${unit}` : unit}`);
}

/** `keywords` are those of JSON Schema for the lower and the upper bound. */
function bounds(measure: (value: unknown) => number, unit: Unit, keywords: readonly [low: string, high: string]) {
  const make =
    (side: Side): RuleMaker =>
    (argument = "") => {
      const limit = parseLimit(`${side}=${argument}`, argument, unit);
      const passes = {
        min: (size: number) => size >= limit,
        max: (size: number) => size <= limit,
        len: (size: number) => size === limit,
      }[side];
      const words = { min: "at least", max: "at most", len: "exactly" }[side];
      const counted = limit === 1 ? singular[unit] : unit;
      return {
        message: isCounted(unit) ? `must have ${words} ${limit} ${counted}` : `must be ${words} ${limit}`,
        passes: (value) => passes(measure(value)),
        keywords: {
          ...(side === "max" ? {} : { [keywords[0]]: limit }),
          ...(side === "min" ? {} : { [keywords[1]]: limit }),
        },
      };
    };
  return { min: make("min"), max: make("max"), len: make("len") };
}

function toWords(argument: string | undefined): string[] {
  return argument?.split(" ").filter((word) => word !== "") ?? [];
}

function oneofNumbers(argument: string | undefined): ReturnType<RuleMaker> {
  const words = toWords(argument);
  if (!words.every((word) => decimal.test(word))) throw new TypeError(`"oneof=${argument}" needs numbers`);
  return allow(words.map(Number));
}

function allow(allowed: readonly unknown[]): ReturnType<RuleMaker> {
  if (allowed.length === 0) throw new TypeError('"oneof=" needs values, separated by spaces');
  return {
    message: `must be one of ${allowed.join(", ")}`,
    passes: (value) => allowed.includes(value),
    keywords: { enum: allowed },
  };
}

function plain(name: string, passes: (text: string) => boolean, message: string, format = name): RuleMaker {
  return (argument) => {
    if (argument !== undefined) throw new TypeError(`"${name}" takes no value, not "${argument}"`);
    const inexact = format !== name; // "uri" allows every scheme
    return { message, passes: (value) => passes(value as string), keywords: { format }, inexact }; // a string, by its kind
  };
}

function pattern(argument = ""): ReturnType<RuleMaker> {
  if (argument === "") throw new TypeError('"pattern=" needs a regular expression');
  const expression = toExpression(argument);
  return {
    message: `must match ${argument}`,
    passes: (value) => expression.test(value as string), // a string, by its kind
    keywords: { pattern: argument },
  };
}

function decimalText(argument: string | undefined): ReturnType<RuleMaker> {
  if (argument !== undefined) throw new TypeError(`"decimal" takes no value, not "${argument}"`);
  return { ...pattern(decimalPattern), message: "must be a decimal number such as 12.50" };
}

function toExpression(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (error) {
    throw new TypeError(`"pattern=${source}" is not a regular expression`, { cause: error });
  }
}

/** The client chooses the type of a file, so this sorts out mistakes only. */
function type(argument: string | undefined): ReturnType<RuleMaker> {
  const allowed = toWords(argument?.toLowerCase());
  if (allowed.length === 0 || !allowed.every(isMediaRange)) {
    throw new TypeError(`"type=${argument ?? ""}" needs media types, separated by spaces: type=image/png image/jpeg`);
  }
  const exact = allowed.length === 1 && !allowed[0]?.endsWith("*");
  const matches = (given: string) =>
    allowed.some((range) => range === given || (range.endsWith("/*") && given.startsWith(range.slice(0, -1))));
  return {
    message: `must be of type ${allowed.join(", ")}`,
    passes: (value) => matches(mediaTypeOf((value as { readonly type: string }).type)), // a file, by its kind
    keywords: exact ? { contentMediaType: allowed[0] } : {},
    inexact: !exact,
  };
}

/** The text is well-formed: other text was refused before any rule ran. */
function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800) count--; // the first half of a pair
  }
  return count;
}

const characters = bounds((value) => countCodePoints(value as string), "characters", ["minLength", "maxLength"]);
const items = bounds((value) => (value as unknown[]).length, "items", ["minItems", "maxItems"]);
const entries = bounds((value) => Object.keys(value as object).length, "entries", ["minProperties", "maxProperties"]);
/** Zero for a streamed file, which is measured while it arrives. */
const bytes = bounds((value) => (value as { readonly bytes?: Uint8Array }).bytes?.byteLength ?? 0, "bytes", [
  "minLength",
  "maxLength",
]);
const numbers = bounds((value) => value as number, "number", ["minimum", "maximum"]);
const wholeNumbers = bounds((value) => value as number, "whole number", ["minimum", "maximum"]);

export const stringRules: RuleMakers = {
  email: plain("email", isEmail, "must be an e-mail address"),
  url: plain("url", isUrl, "must be an http or https URL", "uri"),
  uuid: plain("uuid", isUuid, "must be a UUID"),
  decimal: decimalText,
  ...characters,
  oneof: (argument) => allow(toWords(argument)),
  pattern,
};
export const numberRules: RuleMakers = { min: numbers.min, max: numbers.max, oneof: oneofNumbers };
export const integerRules: RuleMakers = { min: wholeNumbers.min, max: wholeNumbers.max, oneof: oneofNumbers };
export const listRules: RuleMakers = items;
export const recordRules: RuleMakers = { min: entries.min, max: entries.max };
export const fileRules: RuleMakers = { max: bytes.max, type };
