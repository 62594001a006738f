import { discard, isStream } from "../body/stream.ts";
import type { HeaderValue } from "../headers.ts";
import type { Outgoing, OutgoingBody } from "../reply.ts";
import type { Message } from "./message.ts";
import { Slices, sliceBytes } from "./pump.ts";
import type { Unread } from "./unread.ts";

export interface WriteOptions {
  readonly isHead: boolean;
  /** The connection closes after this response. */
  readonly close: boolean;
  readonly unread: Unread;
}

/** Writes a response of the application. Returns the iterator of a stream, for `pump`; any other body is written whole. */
export function writeResponse(
  message: Message,
  outgoing: Outgoing,
  { isHead, close, unread }: WriteOptions,
): AsyncIterator<unknown> | undefined {
  const { body, status } = outgoing;
  if (message.destroyed) {
    discard(body);
    return undefined;
  }
  if (body === null || isHead || isBodiless(status)) {
    discard(body);
    message.send(status, toHeaderList(outgoing, isHead), null, close);
    return undefined;
  }
  if (isStream(body)) {
    const iterator = body[Symbol.asyncIterator](); // first, because a stream in use throws, which is a 500
    message.begin(status, toHeaderList(outgoing, isHead), close);
    return iterator;
  }
  const whole = body as string | Uint8Array; // an upgrade is handled before
  const headers = toHeaderList(outgoing, isHead);
  const size = Number(headers.at(-1)); // the length comes last, and such a body has one
  unread.check(size);
  if (size <= sliceBytes) {
    message.send(status, headers, whole, close);
    return undefined;
  }
  message.begin(status, headers, close);
  return new Slices(typeof whole === "string" ? Buffer.from(whole) : whole);
}

/**
 * Framing and connection headers belong to the engine: an application could contradict them about where a response
 * ends. `Outgoing.closes` says whether the connection should close.
 */
const engineHeaders = new Set([
  "connection",
  "content-type",
  "content-length",
  "keep-alive",
  "trailer",
  "transfer-encoding",
]);

/** The headers of a response, names and values alternating: the same on a socket and in `app.fetch`. */
export function toHeaderList(outgoing: Outgoing, isHead: boolean): HeaderValue[] {
  const list: HeaderValue[] = [];
  let declared: HeaderValue | undefined;
  const extra = outgoing.extraHeaders();
  if (extra !== undefined) {
    for (const [name, value] of extra) {
      if (name === "content-length") declared = value;
      else if (!engineHeaders.has(name)) list.push(name, value);
    }
  }
  const { status, body, type } = outgoing;
  if (status === 204 || status === 304) return list;
  if (type !== "") list.push("content-type", type);
  const length = lengthOf(status, body, isHead, declared);
  if (length !== undefined) list.push("content-length", length);
  return list;
}

/** Whether a response of this status never has a body, whatever the application returned. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** The declared length of a stream; undefined when it is missing or malformed. */
export function toLength(declared: HeaderValue | undefined): number | undefined {
  return typeof declared === "string" && /^[0-9]{1,15}$/.test(declared) ? Number(declared) : undefined;
}

function lengthOf(
  status: number,
  body: OutgoingBody,
  isHead: boolean,
  declared: HeaderValue | undefined,
): string | undefined {
  if (status === 205) return "0";
  if (typeof body === "string") return String(Buffer.byteLength(body));
  if (body instanceof Uint8Array) return String(body.byteLength);
  const length = toLength(declared);
  if (body === null && !(isHead && length !== undefined)) return "0";
  return length === undefined ? undefined : String(length);
}
