import { BindError } from "../errors.ts";
import type { RequestLimits } from "./body-reader.ts";
import { mediaTypeOf } from "./grammar.ts";

/** JSON text, or an error that says which kind of value cannot be written as JSON. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`a value of type ${typeof value} cannot be written as JSON`);
  return text;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** JSON text → value. Messages of JSON.parse quote the body, which may hold a password, so they are not passed on. */
export function parseJson(body: Uint8Array, limits: RequestLimits): unknown {
  let fault = "is not UTF-8";
  try {
    const text = decoder.decode(body);
    fault = `is nested deeper than ${limits.jsonDepth}`;
    if (isDeeperThan(text, limits.jsonDepth)) throw new SyntaxError(fault);
    fault = "is not JSON";
    return JSON.parse(text);
  } catch {
    throw new BindError([{ path: "", rule: "json", message: fault }]);
  }
}

function isDeeperThan(text: string, limit: number): boolean {
  if (!opensMoreThan(text, limit)) return false;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c) index++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** Enough to decide for most texts, in a tenth of the time of a full scan. */
function opensMoreThan(text: string, limit: number): boolean {
  let count = 0;
  for (const opener of ["{", "["]) {
    for (let at = text.indexOf(opener); at >= 0; at = text.indexOf(opener, at + 1)) if (++count > limit) return true;
  }
  return false;
}

/** `application/json`, also `application/problem+json` and the like, with any parameters. Absent counts as JSON. */
export function isJson(contentType: string): boolean {
  if (contentType === "") return true;
  const type = mediaTypeOf(contentType);
  return type === "application/json" || (type.startsWith("application/") && type.endsWith("+json"));
}
