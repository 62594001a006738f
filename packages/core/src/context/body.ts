import { BindError, HttpError, type Issue } from "../errors.ts";
import type { RequestLimits } from "./limits.ts";

/** Counts bytes and time while a body arrives, whatever door it arrives at. */
export class BodyReader {
  readonly result: Promise<Uint8Array>;
  readonly #limit: number;
  readonly #chunks: Uint8Array[] = [];
  readonly #timer: NodeJS.Timeout;
  #size = 0;
  #settled = false;
  #resolve!: (body: Uint8Array) => void;
  #reject!: (error: unknown) => void;

  constructor(limit: number, timeout: number) {
    this.#limit = limit;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => this.fail(new HttpError(408, "Request Timeout")), timeout);
  }

  /** False when no more is wanted. */
  push(chunk: Uint8Array): boolean {
    if (this.#settled) return false;
    this.#size += chunk.byteLength;
    if (this.#size > this.#limit) {
      this.fail(tooLarge());
      return false;
    }
    this.#chunks.push(chunk);
    return true;
  }

  end(): void {
    if (this.#settled) return;
    this.#finish();
    const [first] = this.#chunks;
    this.#resolve(first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks));
  }

  fail(error: unknown): void {
    if (this.#settled) return;
    this.#finish();
    this.#reject(error);
  }

  #finish(): void {
    this.#settled = true;
    clearTimeout(this.#timer);
  }
}

export function tooLarge(): HttpError {
  return new HttpError(413, "Payload Too Large");
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** JSON text → value, with everything that no DTO and no schema should ever see refused. */
export function parseJson(body: Uint8Array, limits: RequestLimits): unknown {
  let value: unknown;
  let text: string;
  try {
    text = decoder.decode(body);
    if (isDeeperThan(text, limits.jsonDepth)) throw new SyntaxError(`nested deeper than ${limits.jsonDepth}`);
    value = JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new BindError([{ path: "", rule: "json", message }], { cause: error });
  }
  // NUL, lone surrogates and "__proto__" written with escapes need a backslash; the plain key is looked for by name
  if (text.includes("\\u") || text.includes("__proto__")) {
    const issues: Issue[] = [];
    cleanse(value, "", issues);
    if (issues.length > 0) throw new BindError(issues);
  }
  return value;
}

/** Reports strings that a store cannot keep and removes own `__proto__` keys, which a careless merge would follow. */
export function cleanse(value: unknown, path: string, issues: Issue[]): void {
  if (typeof value === "string") {
    if (value.includes("\0")) issues.push({ path, rule: "text", message: "contains U+0000" });
    else if (!value.isWellFormed()) issues.push({ path, rule: "text", message: "is not well-formed Unicode" });
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (Object.hasOwn(value, "__proto__")) Reflect.deleteProperty(value, "__proto__");
  for (const [key, item] of Object.entries(value)) cleanse(item, path === "" ? key : `${path}.${key}`, issues);
}

function isDeeperThan(text: string, limit: number): boolean {
  if (text.length < 2 * limit) return false; // too short to open and close that many
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

/** `application/json`, also `application/problem+json` and the like, with any parameters. Absent counts as JSON. */
export function isJson(contentType: string): boolean {
  if (contentType === "") return true;
  const semicolon = contentType.indexOf(";");
  const type = (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
  return type === "application/json" || (type.startsWith("application/") && type.endsWith("+json"));
}
