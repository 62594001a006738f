import type { HeaderValue, OutgoingBody, Outgoing as ServerOutgoing } from "@tenon/server";
import { refuseNonJson } from "../body/json.ts";
import { JsonArray } from "../body/json-array.ts";
import { ResponseHeaders } from "./headers.ts";
import { type HeaderSource, jsonType, openRaw, type RawBody, Upgrade } from "./raw.ts";

/** What a handler returned, before a platform turns it into bytes, a page or lines on a terminal. */
export class Reply<Status extends number = number, Value = unknown> {
  readonly status: Status;
  /** `json` for any value, `text` for a ready string, `raw` for bytes, streams and `Response`, `empty` for no body. */
  readonly kind: "json" | "text" | "raw" | "empty";
  readonly value: Value;
  /** The message of a returned `{ error }` or `{ error, status }`, which platforms write like that of a thrown error. */
  readonly error: string | undefined;
  /** Whether an endpoint returned it: the schemas of its errors apply to it, and not to the error of a guard. */
  isDeclared = false;

  constructor(status: Status, kind: Reply["kind"], value: Value, error?: string) {
    if (!(value instanceof Upgrade)) checkStatus(status);
    this.status = status;
    this.kind = kind;
    this.value = value;
    this.error = error;
  }

  /** The same reply with other data. */
  withValue(value: unknown): Reply {
    return new Reply(this.status, this.kind, value, this.error);
  }
}

function checkStatus(status: number): number {
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new RangeError(`A reply's status is a whole number from 200 to 599, not ${String(status)}`);
}

/** The result of `ctx.status(n)`: a reply that still needs its body. */
export class StatusReply<Status extends number = number> {
  readonly #status: Status;

  constructor(status: Status) {
    this.#status = status;
  }

  json<const Value>(value: Value): Reply<Status, Value> {
    return new Reply(this.#status, value instanceof JsonArray ? "raw" : "json", value);
  }

  send(text: string): Reply<Status, string> {
    return new Reply(this.#status, "text", text);
  }
}

/** Any returned value → Reply: the only function that decides what a returned value means. */
export function toReply(value: unknown): Reply {
  if (value === undefined) return new Reply(204, "empty", undefined);
  if (typeof value !== "object" || value === null) return new Reply(200, "json", value);
  if (value instanceof Reply) return value;
  refuseNonData(value);
  if (isRaw(value)) return new Reply(200, "raw", value);
  return fromConvention(value) ?? new Reply(200, "json", value);
}

/** A promise, of this realm or of a library of its own. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (typeof value === "object" && value !== null && "then" in value && typeof value.then === "function")
  );
}

/** A value of an endpoint with a declared result: `{ error }` and `{ _status }` are data there. */
export function toDataReply(value: unknown, status: number): Reply {
  if (value === undefined) return new Reply(status, "empty", undefined);
  if (typeof value !== "object" || value === null) return new Reply(status, "json", value);
  refuseNonData(value);
  return new Reply(status, isRaw(value) ? "raw" : "json", value);
}

/** Refuses values that are never data: as JSON they would be `{}` with status 200, and the error would stay hidden. */
function refuseNonData(value: object): void {
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

/** `{error}`, `{error, status}` and `{_status, data}`, with no other key and a whole number, set the status; any other object is data. */
function fromConvention(value: object): Reply | undefined {
  if (!("error" in value || "_status" in value)) return undefined; // most values, without listing their keys
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const map = value as Readonly<Record<string, unknown>>; // a plain object, checked above
  const size = Object.keys(map).length;
  if (typeof map.error === "string") {
    if (size === 1) return new Reply(400, "json", map, map.error);
    if (size === 2 && isWhole(map.status)) {
      return new Reply(map.status, "json", map, map.status < 400 ? undefined : map.error);
    }
  }
  if (size === 2 && isWhole(map._status) && "data" in map) return new Reply(map._status, "json", map.data);
  return undefined;
}

/** A whole number out of range is an error, which the constructor of `Reply` reports; anything else is data. */
function isWhole(status: unknown): status is number {
  return Number.isInteger(status);
}

function isRaw(value: object): value is RawBody {
  return (
    Symbol.asyncIterator in value || value instanceof Uint8Array || value instanceof ArrayBuffer || isResponse(value)
  );
}

/** By its tag, because naming the global `Response` makes Node load its whole fetch implementation. */
export function isResponse(value: object): value is Response {
  return (value as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === "Response";
}

/** Why a reply with a status from 400 on failed, as a command or a job reports it. */
export function messageOf({ status, value }: Reply): string {
  const reason = typeof value === "object" && value !== null && "error" in value ? value.error : value;
  return typeof reason === "string" ? reason : `failed with status ${status}`;
}

/** The status that a client sees: a `Response` brings its own. */
export function statusOf({ kind, status, value }: Reply): number {
  return kind === "raw" && isResponse(value as object) ? (value as Response).status : status; // raw values are objects
}

/** A response that only needs writing. */
export class Outgoing implements ServerOutgoing {
  #status: number;
  #body: OutgoingBody;
  #type: string;
  #headers: ResponseHeaders | undefined;

  constructor(status: number, body: OutgoingBody, type: string, headers?: ResponseHeaders) {
    this.#status = status;
    this.#body = body;
    this.#type = type;
    this.#headers = headers;
  }

  get status(): number {
    return this.#status;
  }

  set status(status: number) {
    this.#status = checkStatus(status); // after the hooks, a bad status could no longer become a 500
  }

  get body(): OutgoingBody {
    return this.#body;
  }

  /** "" when there is none. A content type that the handler set wins over the platform's. */
  get type(): string {
    return this.#headers?.header("content-type") || this.#type;
  }

  /** Every header, content type included, to read and to change. */
  get headers(): ResponseHeaders {
    this.#headers ??= new ResponseHeaders();
    if (this.#type !== "") {
      if (!this.#headers.has("content-type")) this.#headers.setHeader("content-type", this.#type);
      this.#type = "";
    }
    return this.#headers;
  }

  /** Encodes the body; `coding` is its `Content-Encoding`. No hook can replace the body: its declared fields were selected. */
  encode(coding: string, encoder: (body: OutgoingBody) => OutgoingBody): void {
    this.headers.setHeader("content-encoding", coding).removeHeader("content-length");
    this.#body = encoder(this.#body);
  }

  /** Whether the application asks to close the connection after this response. */
  get closes(): boolean {
    return this.#headers?.header("connection").toLowerCase() === "close";
  }

  /** For the writer: the headers other than the default type, without allocating any. */
  extraHeaders(): Iterable<[string, HeaderValue]> | undefined {
    return this.#headers?.entries();
  }

  /** Adds what handlers and middlewares set; a header that the response already has wins, cookies are sent both. */
  addHeaders(added: ResponseHeaders): void {
    for (const [name, value] of this.#headers?.entries() ?? []) {
      if (name !== "set-cookie") added.setHeader(name, value);
      else for (const cookie of [value].flat()) added.addHeader(name, cookie);
    }
    this.#headers = added;
  }
}

/** Data as JSON; text, bytes, streams and a `Response` as they are. The kernel adds the headers of the context. */
export function toOutgoing(reply: Reply, ctx: HeaderSource): Outgoing | Promise<Outgoing> {
  const { status, value } = reply;
  switch (reply.kind) {
    case "json":
      return new Outgoing(status, JSON.stringify(value) ?? refuseNonJson(value), jsonType);
    case "text":
      return new Outgoing(status, String(value), "text/plain; charset=utf-8");
    case "empty":
      return new Outgoing(status, null, "");
    case "raw": {
      const parts = openRaw(value as RawBody, status, ctx); // toReply made it raw
      return parts instanceof Promise ? parts.then((opened) => new Outgoing(...opened)) : new Outgoing(...parts);
    }
  }
}
