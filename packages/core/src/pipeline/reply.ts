import { HttpError } from "../errors.ts";
import { JsonArray } from "./json-array.ts";

/** What a handler answers with, before a platform turns it into bytes, a page or lines on a terminal. */
export class Reply {
  readonly status: number;
  /** `json` for any value, `text` for a ready string, `raw` for bytes, streams and `Response`, `empty` for no body. */
  readonly kind: "json" | "text" | "raw" | "empty";
  readonly value: unknown;

  constructor(status: number, kind: Reply["kind"], value: unknown) {
    this.status = checkStatus(status);
    this.kind = kind;
    this.value = value;
  }
}

export function checkStatus(status: number): number {
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new RangeError(`A reply's status is a whole number from 200 to 599, not ${String(status)}`);
}

/** What `ctx.status(n)` gives: a reply that still needs its body. */
export class StatusReply {
  readonly #status: number;

  constructor(status: number) {
    this.#status = status;
  }

  json(value: unknown): Reply {
    return new Reply(this.#status, value instanceof JsonArray ? "raw" : "json", value);
  }

  send(text: string): Reply {
    return new Reply(this.#status, "text", text);
  }
}

/** Any returned value → Reply. The one place that knows what returned values mean. */
export function toReply(value: unknown): Reply {
  if (value === undefined) return new Reply(204, "empty", undefined);
  if (typeof value !== "object" || value === null) return new Reply(200, "json", value);
  if (value instanceof Reply) return value;
  refuseSlips(value);
  if (isRaw(value)) return new Reply(200, "raw", value);
  return fromConvention(value) ?? new Reply(200, "json", value);
}

/** What is never meant as data: written as JSON it would be `{}` with status 200, and nobody would learn of the slip. */
function refuseSlips(value: object): void {
  if (value instanceof HttpError) throw value;
  if (value instanceof Error) throw new TypeError("an Error was returned: throw it", { cause: value });
  if (value instanceof StatusReply)
    throw new TypeError("ctx.status(n) was returned without .json(value) or .send(text)");
  const name = value instanceof Map ? "a Map" : value instanceof Set ? "a Set" : isIterator(value) ? "an iterator" : "";
  if (name !== "") {
    throw new TypeError(`${name} was returned, which JSON cannot hold: return an array or an object`);
  }
}

function isIterator(value: object): boolean {
  return "next" in value && typeof value.next === "function" && Symbol.iterator in value;
}

/** `{error}`, `{error, status}` and `{_status, data}`, with no other key and a whole number, speak about the reply; all else is data. */
function fromConvention(value: object): Reply | undefined {
  if (!("error" in value || "_status" in value)) return undefined; // most values, told apart without listing keys
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const map = value as Readonly<Record<string, unknown>>; // a plain object, checked above
  const size = Object.keys(map).length;
  if (typeof map.error === "string") {
    if (size === 1) return new Reply(400, "json", map);
    if (size === 2 && isWhole(map.status)) return new Reply(map.status, "json", map);
  }
  if (size === 2 && isWhole(map._status) && "data" in map) return new Reply(map._status, "json", map.data);
  return undefined;
}

/** A whole number out of range is a mistake, which the constructor of `Reply` reports; anything else is data. */
function isWhole(status: unknown): status is number {
  return Number.isInteger(status);
}

/** Bytes, anything asynchronously iterable (Node and web streams are), or a web `Response`. */
export type RawBody = Uint8Array | ArrayBuffer | AsyncIterable<unknown> | Response;

function isRaw(value: object): value is RawBody {
  return (
    Symbol.asyncIterator in value || value instanceof Uint8Array || value instanceof ArrayBuffer || isResponse(value)
  );
}

/** By its tag, because naming the global `Response` makes Node load its whole fetch implementation. */
export function isResponse(value: object): value is Response {
  return (value as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === "Response";
}
