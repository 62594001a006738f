import { isMediaType, isToken, tokenText } from "@tenon/server/internal";
import { BindError } from "../support/errors.ts";
import { decodePercent } from "../support/path.ts";

export interface PartHead {
  readonly name: string;
  /** Undefined for a field. */
  readonly fileName: string | undefined;
  readonly type: string;
}

const headerLine = new RegExp(`^(${tokenText}):([^\\0\\r\\n]*)$`);
const unencoded = new Set(["7bit", "8bit", "binary"]);

/** Header lines → the part's name and kind. */
export function parsePartHead(bytes: Uint8Array): PartHead {
  const headers = parseHeaders(decodeText(bytes));
  const value = headers.get("content-disposition") ?? "";
  const [kind = ""] = value.split(";", 1);
  const parameters = kind.trim().toLowerCase() === "form-data" ? parseParameters(value, kind.length) : undefined;
  const name = parameters?.get("name");
  if (parameters === undefined || name === undefined) refuseForm("has a part without a name");
  const encoding = headers.get("content-transfer-encoding") ?? "binary";
  if (!unencoded.has(encoding.toLowerCase())) refuseForm("has a part with a transfer encoding");
  const type = headers.get("content-type") ?? "";
  return {
    name: restoreEscaped(name),
    fileName: findFileName(parameters),
    type: isMediaType(type) ? type : "application/octet-stream",
  };
}

function parseHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split("\r\n")) {
    const [, name = "", value = ""] = headerLine.exec(line) ?? refuseForm("has a part with a malformed header");
    const key = name.toLowerCase();
    if (headers.has(key)) refuseForm("has a part with a repeated header");
    headers.set(key, value.trim());
  }
  return headers;
}

function findFileName(parameters: ReadonlyMap<string, string>): string | undefined {
  const plain = parameters.get("filename");
  if (plain !== undefined) return toFileName(restoreEscaped(plain));
  const extended = parameters.get("filename*");
  return extended === undefined ? undefined : toFileName(decodeExtended(extended));
}

/** Browsers escape only these three: `%41` in a name is literal text. */
function restoreEscaped(text: string): string {
  return text.replaceAll(/%0D|%0A|%22/gi, (code) => decodeURIComponent(code));
}

/** `UTF-8''na%C3%AFve.txt` (RFC 8187): how some clients send names that are not ASCII. */
function decodeExtended(text: string): string {
  const [, encoded] = /^utf-8'[^']*'([^']*)$/i.exec(text) ?? [];
  const name = encoded === undefined ? undefined : decodePercent(encoded);
  return name ?? refuseForm("has a file name that cannot be read");
}

/** Removes the path, whatever system the client runs on. */
function toFileName(text: string): string {
  const last = text.split(/[/\\]/).at(-1) as string; // a split text has one part at least
  const name = last.replaceAll(/\p{Cc}/gu, "");
  return name === "." || name === ".." ? "" : name;
}

/** `; name=value; name="value"` from `start` on, by lower-case name. Undefined when malformed or repeated. */
export function parseParameters(text: string, start: number): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  let index = start < 0 ? text.length : start;
  while (index < text.length) {
    if (text[index] !== ";") return undefined;
    index = skipBlanks(text, index + 1);
    if (index === text.length || text[index] === ";") continue;
    const equals = skipToken(text, index);
    const name = text.slice(index, equals).toLowerCase();
    if (name === "" || text[equals] !== "=" || parameters.has(name)) return undefined;
    const value = readValue(text, equals + 1);
    if (value === undefined) return undefined;
    parameters.set(name, value.text);
    index = skipBlanks(text, value.end);
  }
  return parameters;
}

function readValue(text: string, start: number): { text: string; end: number } | undefined {
  if (text[start] === '"') return readQuoted(text, start + 1);
  const end = skipToken(text, start);
  return end === start ? undefined : { text: text.slice(start, end), end };
}

/** A backslash escapes quotes and backslashes; before anything else it is a character of its own, as in `C:\notes.txt`. */
function readQuoted(text: string, start: number): { text: string; end: number } | undefined {
  let value = "";
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (character === '"') return { text: value, end: index + 1 };
    const next = text[index + 1];
    if (character === "\\" && (next === '"' || next === "\\")) {
      value += next;
      index++;
    } else value += character;
  }
  return undefined;
}

function skipToken(text: string, start: number): number {
  let index = start;
  while (index < text.length && isToken(text.charAt(index))) index++;
  return index;
}

function skipBlanks(text: string, start: number): number {
  let index = start;
  while (text[index] === " " || text[index] === "\t") index++;
  return index;
}

/** A form that cannot be read. The message never quotes it: it may hold a password. */
export function refuseForm(message: string): never {
  throw new BindError([{ path: "", rule: "form", message }]);
}

// ignoreBOM keeps the mark: it was typed, like any other character
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return refuseForm("is not UTF-8");
  }
}
