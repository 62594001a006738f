import { BindError, HttpError } from "../errors.ts";
import type { RequestLimits } from "./limits.ts";

const nothing = new Uint8Array();

/** Counts bytes and time while a body arrives, whatever door it arrives at. */
export class BodyReader {
  readonly result: Promise<Uint8Array>;
  readonly #limit: number;
  readonly #timeout: number;
  #timer: NodeJS.Timeout | undefined;
  #bytes = nothing;
  #size = 0;
  #sizeSeen = -1;
  #settled = false;
  #timedOut = false;
  #resolve!: (body: Uint8Array) => void;
  #reject!: (error: unknown) => void;

  constructor(limit: number, timeout: number) {
    this.#limit = limit;
    this.#timeout = timeout;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** Whether the body did not arrive in time. */
  get timedOut(): boolean {
    return this.#timedOut;
  }

  /** Bytes so far. */
  get size(): number {
    return this.#size;
  }

  /** Starts the clock: not by itself, because most bodies are there before a timer is made. */
  watch(): void {
    if (this.#settled) return;
    this.#timer = setTimeout(() => {
      this.#timedOut = true;
      this.fail(new HttpError(408, "Request Timeout"));
    }, this.#timeout);
  }

  /** False when no more is wanted. */
  push(chunk: Uint8Array): boolean {
    if (this.#settled) return false;
    const size = this.#size + chunk.byteLength;
    if (size > this.#limit) {
      this.fail(tooLarge());
      return false;
    }
    // most bodies come in one piece; of the others each piece is copied: kept, a million of one byte take 200 MB
    if (this.#size === 0)
      this.#bytes = chunk as Uint8Array<ArrayBuffer>; // doors hand over no shared memory
    else {
      if (size > this.#bytes.byteLength) this.#grow(size);
      this.#bytes.set(chunk, this.#size);
    }
    this.#size = size;
    return true;
  }

  end(): void {
    if (this.#settled) return;
    this.#finish();
    this.#resolve(this.#size === this.#bytes.byteLength ? this.#bytes : this.#bytes.subarray(0, this.#size));
  }

  fail(error: unknown): void {
    if (this.#settled) return;
    this.#finish();
    this.#bytes = nothing;
    this.result.catch(ignore);
    this.#reject(error);
  }

  /** Whether nothing has come since the last call. */
  isStalled(): boolean {
    const stalled = this.#size === this.#sizeSeen;
    this.#sizeSeen = this.#size;
    return stalled;
  }

  #grow(size: number): void {
    const larger = new Uint8Array(Math.min(this.#limit, Math.max(2 * size, 4096)));
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
  }

  #finish(): void {
    this.#settled = true;
    clearTimeout(this.#timer);
  }
}

/** `reason` is for whoever runs the application: clients read the status only. */
export function tooLarge(reason = "The body is larger than limits.body, or than bodyLimit() allows."): HttpError {
  return new HttpError(413, "Payload Too Large", { cause: new Error(reason) });
}

/** A content type that the caller cannot read. */
export function refuseType(contentType: string): never {
  throw new BindError([{ path: "", rule: "content-type", message: `cannot read ${JSON.stringify(contentType)}` }]);
}

/** A body that is refused before it is read. */
export function refuseBody(error: HttpError): Promise<never> {
  const refused = Promise.reject(error);
  refused.catch(ignore);
  return refused;
}

/** A handler may ask for a body and not wait for it: unhandled, the rejection would end the process. */
function ignore(): void {}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** JSON text → value. The engine's own messages quote the body, which may hold a password, so none of them is passed on. */
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

/** Settles it for most texts, in a tenth of the time that reading them takes. */
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
  const semicolon = contentType.indexOf(";");
  const type = (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
  return type === "application/json" || (type.startsWith("application/") && type.endsWith("+json"));
}
