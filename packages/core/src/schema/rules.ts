import { mediaTypeOf } from "@tenon/server/internal";
import { decimalPattern, isEmail, isUrl, isUuid } from "./formats.ts";

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

const singular: Readonly<Record<string, string>> = {
  characters: "character",
  items: "item",
  entries: "entry",
  bytes: "byte",
};

/** Without a unit the value itself is compared. `keywords` are those of JSON Schema for the lower and the upper bound. */
function bounds(
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

function toWords(argument = ""): string[] {
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

/** The client chooses the type of a file, so this sorts out mistakes only. */
function type(argument: string | undefined): ReturnType<RuleMaker> {
  const allowed = toWords(argument?.toLowerCase());
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
const items = bounds((value) => (value as unknown[]).length, ["minItems", "maxItems"], "items");
const entries = bounds((value) => Object.keys(value as object).length, ["minProperties", "maxProperties"], "entries");
/** Zero for a streamed file, which is measured while it arrives. */
const sizeOf = (value: unknown) => (value as { readonly bytes?: Uint8Array }).bytes?.byteLength ?? 0;
const bytes = bounds(sizeOf, ["minLength", "maxLength"], "bytes");
const numbers = bounds((value) => value as number, ["minimum", "maximum"]);

export const stringRules: RuleMakers = {
  email: plain(isEmail, "must be an e-mail address", "email"),
  url: plain(isUrl, "must be an http or https URL", "uri", true), // "uri" allows every scheme
  uuid: plain(isUuid, "must be a UUID", "uuid"),
  decimal: () => pattern(decimalPattern, "must be a decimal number such as 12.50"),
  ...characters,
  oneof: (argument) => allow(toWords(argument)),
  pattern: (argument) => pattern(argument),
};
export const numberRules: RuleMakers = {
  min: numbers.min,
  max: numbers.max,
  oneof: (argument) => allow(toWords(argument).map(Number)),
};
export const listRules: RuleMakers = items;
export const recordRules: RuleMakers = { min: entries.min, max: entries.max };
export const fileRules: RuleMakers = { max: bytes.max, type };
