import type { HeaderValue } from "../context/response-headers.ts";
import type { Outgoing, OutgoingBody } from "../pipeline/outgoing.ts";

/**
 * Framing and the connection belong to the door: said by an application, two of them could disagree about where a reply
 * ends. That the connection should close is read off `Outgoing.closes`.
 */
const ofTheDoor = new Set([
  "connection",
  "content-type",
  "content-length",
  "keep-alive",
  "trailer",
  "transfer-encoding",
]);

/** The headers of a reply, names and values in turn: what both doors send, so that they send the same. */
export function toHeaderList(outgoing: Outgoing, isHead: boolean): HeaderValue[] {
  const list: HeaderValue[] = [];
  let declared: HeaderValue | undefined;
  const extra = outgoing.extraHeaders();
  if (extra !== undefined) {
    for (const [name, value] of extra) {
      if (name === "content-length") declared = value;
      else if (!ofTheDoor.has(name)) list.push(name, value);
    }
  }
  const { status, body, type } = outgoing;
  if (status === 204 || status === 304) return list;
  if (type !== "") list.push("content-type", type);
  const length = lengthOf(status, body, isHead, declared);
  if (length !== undefined) list.push("content-length", length);
  return list;
}

/** Whether a reply of this status never has a body, whatever the application gave. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

export function isStream(body: OutgoingBody): body is AsyncIterable<unknown> {
  return body !== null && typeof body === "object" && Symbol.asyncIterator in body;
}

/** Tells the source of a stream that nobody will read it. */
export function discard(body: OutgoingBody): void {
  if (isStream(body)) void stop(() => body[Symbol.asyncIterator]());
}

/** Tells the source of a stream that nobody will read on. What it says to that has no reader either. */
export async function stop(iterator: () => AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator().return?.();
  } catch {
    // it is being read elsewhere, or fails while it cleans up: this reply does not depend on it
  }
}

/** What an application says of the length of a stream; undefined when it says nothing that can be counted. */
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
