import { mediaTypeOf } from "@tenon/server/internal";
import { BindError } from "../support/errors.ts";
import { refuseType } from "./body-error.ts";
import type { RequestLimits } from "./limits.ts";

/** What a schema validates: a body, a query or flags. */
export interface Input {
  readonly value: unknown;
  /** Flags, queries and forms carry text only: numbers and booleans are read from it. */
  readonly fromText: boolean;
  /** Forms repeat a name where flags write a comma, and send "" for an empty field. */
  readonly fromForm?: boolean;
}

/** `application/json`, also `application/problem+json` and the like, with any parameters. Absent counts as JSON. */
export function isJson(contentType: string): boolean {
  if (contentType === "" || contentType === "application/json") return true;
  const type = mediaTypeOf(contentType);
  return type === "application/json" || (type.startsWith("application/") && type.endsWith("+json"));
}

/** The body as JSON. Any other content type is refused. */
export function readJsonInput(
  head: { header(name: string): string | undefined },
  request: { readBody(): Uint8Array | Promise<Uint8Array> },
  limits: RequestLimits,
): Input | Promise<Input> {
  const type = head.header("content-type") ?? "";
  if (!isJson(type)) refuseType(type);
  const toInput = (body: Uint8Array): Input => ({ value: parseJson(body, limits), fromText: false });
  const body = request.readBody();
  return body instanceof Promise ? body.then(toInput) : toInput(body);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** JSON text → value. Messages of JSON.parse quote the body, which may hold a password, so they are not passed on. */
export function parseJson(body: Uint8Array, limits: RequestLimits): unknown {
  let issue = "is not UTF-8";
  try {
    const text = decoder.decode(body);
    issue = `is nested deeper than ${limits.jsonDepth}`;
    if (isDeeperThan(text, limits.jsonDepth)) throw new SyntaxError(issue);
    issue = "is not JSON";
    return JSON.parse(text);
  } catch {
    throw new BindError([{ path: "", rule: "json", message: issue }]);
  }
}

function isDeeperThan(text: string, limit: number): boolean {
  if (text.length <= 2 * limit || !opensMoreThan(text, limit)) return false; // JSON closes what it opens
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
