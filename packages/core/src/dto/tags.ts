/** The rules of a field, as tags. The compiler checks them: `string("requird")` does not compile. */
export type StringTag =
  | "required"
  | "email"
  | "url"
  | "uuid"
  | `min=${number}`
  | `max=${number}`
  | `len=${number}`
  | `oneof=${string}`;
export type NumberTag = "required" | `min=${number}` | `max=${number}` | `oneof=${string}`;
export type ListTag = "required" | `min=${number}` | `max=${number}` | `len=${number}`;
export type PlainTag = "required";

export type FieldKind = "string" | "number" | "integer" | "list" | "plain";

export interface Rule {
  readonly name: string;
  /** What a value must be: `must be at least 1`. */
  readonly message: string;
  readonly passes: (value: unknown) => boolean;
}

export interface ParsedTags {
  readonly required: boolean;
  readonly rules: readonly Rule[];
}

/** The argument is the text after "=", undefined without one. */
type RuleMaker = (argument: string | undefined) => Omit<Rule, "name">;

const stringRules: Record<string, RuleMaker> = {
  email: plain("email", isEmail, "must be an e-mail address"),
  url: plain("url", isUrl, "must be an http or https URL"),
  uuid: plain("uuid", (text) => uuid.test(text), "must be a UUID"),
  min: bound((value) => countCodePoints(value as string), "min", "characters"),
  max: bound((value) => countCodePoints(value as string), "max", "characters"),
  len: bound((value) => countCodePoints(value as string), "len", "characters"),
  oneof,
};
const numberRules: Record<string, RuleMaker> = {
  min: bound((value) => value as number, "min", "number"),
  max: bound((value) => value as number, "max", "number"),
  oneof,
};
const integerRules: Record<string, RuleMaker> = {
  min: bound((value) => value as number, "min", "whole number"),
  max: bound((value) => value as number, "max", "whole number"),
  oneof,
};
const listRules: Record<string, RuleMaker> = {
  min: bound((value) => (value as unknown[]).length, "min", "items"),
  max: bound((value) => (value as unknown[]).length, "max", "items"),
  len: bound((value) => (value as unknown[]).length, "len", "items"),
};
const rulesByKind: Record<FieldKind, Record<string, RuleMaker>> = {
  string: stringRules,
  number: numberRules,
  integer: integerRules,
  list: listRules,
  plain: {},
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** `["required", "min=8"]` → rules. Throws where the DTO is defined, so that a bad tag is found at start. */
export function parseTags(kind: FieldKind, tags: readonly string[]): ParsedTags {
  const rules: Rule[] = [];
  const given = new Map<string, string | undefined>();
  for (const tag of tags) {
    const equals = tag.indexOf("=");
    const name = equals < 0 ? tag : tag.slice(0, equals);
    const argument = equals < 0 ? undefined : tag.slice(equals + 1);
    if (given.has(name)) throw new TypeError(`a field has the rule "${name}" twice`);
    given.set(name, argument);
    if (tag === "required") continue;
    const known = rulesByKind[kind];
    const make = Object.hasOwn(known, name) ? known[name] : undefined;
    if (make === undefined) {
      throw new TypeError(
        `"${tag}" is not a rule for this field. Rules: ${["required", ...Object.keys(known)].join(", ")}.`,
      );
    }
    rules.push({ name, ...make(argument) });
  }
  checkBounds(given);
  return { required: tags.includes("required"), rules };
}

/** Contradicting bounds would refuse every request. */
function checkBounds(given: ReadonlyMap<string, string | undefined>): void {
  for (const [low, high] of [
    ["min", "max"],
    ["min", "len"],
    ["len", "max"],
  ] as const) {
    if (Number(given.get(low)) > Number(given.get(high))) {
      throw new TypeError(`no value keeps both "${low}=${given.get(low)}" and "${high}=${given.get(high)}"`);
    }
  }
}

type Unit = "characters" | "items" | "number" | "whole number";

function isCounted(unit: Unit): boolean {
  return unit === "characters" || unit === "items";
}

const decimal = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/; // no 0x10 and no blanks, which Number() takes

function parseLimit(tag: string, argument: string, unit: Unit): number {
  const limit = Number(argument);
  const fits = unit === "number" ? Number.isFinite(limit) : Number.isSafeInteger(limit);
  if (decimal.test(argument) && fits && (limit >= 0 || !isCounted(unit))) return limit;
  throw new TypeError(`"${tag}" needs a ${isCounted(unit) ? `whole number of ${unit}` : unit}`);
}

function bound(measure: (value: unknown) => number, side: "min" | "max" | "len", unit: Unit): RuleMaker {
  return (argument = "") => {
    const limit = parseLimit(`${side}=${argument}`, argument, unit);
    const passes = {
      min: (size: number) => size >= limit,
      max: (size: number) => size <= limit,
      len: (size: number) => size === limit,
    }[side];
    const words = { min: "at least", max: "at most", len: "exactly" }[side];
    const message = isCounted(unit) ? `must have ${words} ${limit} ${unit}` : `must be ${words} ${limit}`;
    return { message, passes: (value) => passes(measure(value)) };
  };
}

function oneof(argument: string | undefined): ReturnType<RuleMaker> {
  const allowed = argument?.split(" ").filter((word) => word !== "") ?? [];
  if (allowed.length === 0) throw new TypeError('"oneof=" needs values, separated by spaces');
  return { message: `must be one of ${allowed.join(", ")}`, passes: (value) => allowed.includes(String(value)) };
}

function plain(name: string, passes: (text: string) => boolean, message: string): RuleMaker {
  return (argument) => {
    if (argument !== undefined) throw new TypeError(`"${name}" takes no value, not "${argument}"`);
    return { message, passes: (value) => passes(value as string) }; // the kind was checked before any rule
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

/** `local@domain.tld`, without quoting and comments. Walks the text once, so that no input makes it slow. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (at < 1 || text.length > 254 || local.length > 64) return false;
  if (!isDotted(local, isLocalCharacter) || !isDotted(domain, isDomainCharacter)) return false;
  const labels = domain.split(".");
  return (
    labels.length > 1 &&
    labels.every((label) => label.length < 64 && !label.startsWith("-") && !label.endsWith("-")) &&
    !/^[0-9]+$/.test(labels.at(-1) as string) // an IP address; there are two labels at least
  );
}

function isDotted(text: string, isCharacter: (code: number) => boolean): boolean {
  let previousDot = true;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const dot = code === 0x2e;
    if (dot ? previousDot : !isCharacter(code)) return false;
    previousDot = dot;
  }
  return !previousDot;
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

/** Beyond ASCII: letters of any script, but no controls, no blanks and nothing that cannot be seen. */
function isInternational(code: number): boolean {
  if (code <= 0xa0 || code === 0xad || code === 0x1680 || code === 0x3000 || code === 0xfeff) return false;
  return (code < 0x2000 || code > 0x206f) && code < 0xfff0;
}

function isLocalCharacter(code: number): boolean {
  return isLetterOrDigit(code) || isInternational(code) || "!#$%&'*+/=?^_`{|}~-".includes(String.fromCharCode(code));
}

function isDomainCharacter(code: number): boolean {
  return isLetterOrDigit(code) || isInternational(code) || code === 0x2d;
}

/** The parser alone would also take `http:host`, blanks around it and line breaks inside it. */
function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && !/[\s\\\u0000-\u0020]/.test(text) && URL.canParse(text);
}
