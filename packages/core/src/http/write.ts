import { discard, isStream } from "../body/stream.ts";
import type { Outgoing, OutgoingBody } from "../request/reply.ts";
import type { PendingBytes } from "./pending-bytes.ts";
import { Slices, sliceBytes } from "./pump.ts";

export type HeaderValue = string | readonly string[];

/** Where a response is written. The headers are names and values, alternating. */
export interface ResponseTarget {
  /** Whether it is the response to a HEAD request. */
  readonly isHead: boolean;
  /** Nothing can be written any more. */
  readonly destroyed: boolean;
  /** Writes a response in one piece. */
  send(status: number, headers: HeaderValue[], body: string | Uint8Array | null, close: boolean): void;
  /** Begins a response whose body `pump` writes. Its head goes with the first bytes. */
  begin(status: number, headers: HeaderValue[], close: boolean): void;
}

/**
 * Writes a response of the application. Returns the iterator of a stream, for `pump`; any other body is written whole.
 * With `close`, the connection closes after it.
 */
export function writeResponse(
  message: ResponseTarget,
  outgoing: Outgoing,
  close: boolean,
  pendingBytes: PendingBytes,
): AsyncIterator<unknown> | undefined {
  const { body, status } = outgoing;
  const { isHead } = message;
  if (message.destroyed) {
    discard(body);
    return undefined;
  }
  if (body === null || isHead || isBodiless(status)) {
    discard(body);
    message.send(status, toHeaderList(outgoing, isHead), null, close);
    return undefined;
  }
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    const stream = body as AsyncIterable<unknown>; // an upgrade is handled before
    const iterator = stream[Symbol.asyncIterator](); // first, because a stream in use throws, which is a 500
    message.begin(status, toHeaderList(outgoing, isHead), close);
    return iterator;
  }
  const headers = toHeaderList(outgoing, isHead);
  const size = Number(headers.at(-1)); // the length comes last, and such a body has one
  if (size > pendingBytes.largest) pendingBytes.refuse(size);
  if (size <= sliceBytes) {
    message.send(status, headers, body, close);
    return undefined;
  }
  message.begin(status, headers, close);
  return new Slices(typeof body === "string" ? Buffer.from(body) : body);
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

/** The length that an application has declared for a stream. */
export function declaredLengthOf({ body, headers }: Outgoing): number | undefined {
  return isStream(body) ? toLength(headers.header("content-length")) : undefined;
}

/** Undefined when it is missing or malformed. */
function toLength(declared: HeaderValue | undefined): number | undefined {
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
