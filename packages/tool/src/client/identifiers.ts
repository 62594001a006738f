import { capitalize, keywords } from "../names.ts";

/** Types that a generated file uses: an interface of the same name would replace them. */
const globals = [
  ..."AbortSignal Array ArrayBuffer AsyncGenerator AsyncIterable Blob Error FormData Headers Map NonNullable".split(
    " ",
  ),
  ..."Object Promise ReadableStream ReadonlyMap Request RequestInit Response Set TypeError URLSearchParams".split(" "),
  ..."TextDecoder JSON Math String Uint8Array globalThis fetch btoa encodeURIComponent".split(" "),
  ..."any bigint boolean never null number object string symbol undefined unknown void".split(" "),
];

/** Gives every declaration of a file a name of its own. */
export class Names {
  readonly #taken: Set<string>;

  constructor(reserved: readonly string[]) {
    this.#taken = new Set([...keywords, ...globals, ...reserved]);
  }

  /** Adds underscores to a name that is taken. */
  take(wanted: string): string {
    let name = toIdentifier(wanted);
    while (this.#taken.has(name)) name += "_";
    this.#taken.add(name);
    return name;
  }
}

/** `blog.post-input` becomes `blogPostInput`. */
function toIdentifier(text: string): string {
  // only characters that every compiler's version of Unicode knows
  const [first = "", ...rest] = text.split(/[^[\p{ID_Continue}$]&&[\u0000-\uFFFF]]+/v).filter((word) => word !== "");
  const name = [first, ...rest.map(capitalize)].join("");
  return /^[\p{ID_Start}_$]/u.test(name) ? name : `_${name}`;
}

/** A name before a colon, quoted where it must be. */
export function toKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== "__proto__" ? name : toLiteral(name);
}

/** A JSON value as source text. */
export function toLiteral(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029"); // line ends in source text
}

/** Text of several lines as source text. */
export function toTemplate(text: string): string {
  return `\`${text.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("$", "\\$")}\``;
}

export interface Comment {
  readonly texts: readonly (string | undefined)[];
  readonly isDeprecated?: boolean;
}

/** A doc comment with its line end, or "" without text. */
export function toComment({ texts, isDeprecated }: Comment, indent = ""): string {
  const given = texts.filter((text) => text !== undefined && text.trim() !== "");
  const lines = [...given, ...(isDeprecated === true ? ["@deprecated"] : [])]
    .join("\n\n")
    .replaceAll("*/", "*\\/") // would end the comment
    .split(/[\n\r\u2028\u2029]+/)
    .map((line) => line.replace(/[\p{Cc}\s]+/gu, " ").trim())
    .filter((line) => line !== "");
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}
