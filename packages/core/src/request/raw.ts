import type { OutgoingBody, Upgrade as ServerUpgrade } from "@tenon/server";
import { JsonArray } from "../body/json-array.ts";
import { Chunks } from "../body/stream.ts";
import { ResponseHeaders } from "./headers.ts";

export const jsonType = "application/json; charset=utf-8";

/** Bytes, anything asynchronously iterable (Node and web streams are), or a web `Response`. */
export type RawBody = Uint8Array | ArrayBuffer | AsyncIterable<unknown> | Response;

/** What a response is made of. */
type OutgoingParts = [status: number, body: OutgoingBody, type: string, headers?: ResponseHeaders];

/** The part of a context that building a response needs. */
export interface HeaderSource {
  response(): ResponseHeaders;
}

/** Bytes, a stream or a `Response` as they are. What fails before the first chunk is still a 500. */
export function openRaw(
  body: RawBody | Upgrade,
  status: number,
  ctx: HeaderSource,
): OutgoingParts | Promise<OutgoingParts> {
  if (body instanceof Upgrade) return [101, body, ""];
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) {
    const bytes = body instanceof Uint8Array ? body : new Uint8Array(body);
    return [status, bytes, "application/octet-stream"];
  }
  if (!(Symbol.asyncIterator in body)) return fromResponse(body);
  if (body instanceof JsonArray) return body.begin().then((begun) => [status, begun, jsonType]);
  const chunks = new Chunks(body);
  // an event stream may stay silent for long, and its client waits for the head
  if (ctx.response().header("content-type").startsWith("text/event-stream")) return [status, chunks, ""];
  return chunks.begin().then(() => [status, chunks, chunks.type]);
}

/** Headers about the connection to another server. `fetch` has already decoded the body. */
export const hopByHopHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "keep-alive",
  "transfer-encoding",
]);

function fromResponse(response: Response): OutgoingParts {
  if (response.status < 200) throw new TypeError("Response.error() cannot be sent");
  if (response.bodyUsed) throw new TypeError("the body of the returned Response was already read");
  const headers = new ResponseHeaders();
  const fetched = response.url !== "";
  for (const [name, value] of response.headers) {
    if (name === "set-cookie" || (fetched && hopByHopHeaders.has(name))) continue;
    headers.setHeader(name, value);
  }
  for (const cookie of response.headers.getSetCookie()) headers.addHeader("set-cookie", cookie);
  return [response.status, response.body === null ? null : new Chunks(response.body), "", headers];
}

/**
 * Takes over the connection of a request that asks for another protocol: `new Reply(101, "raw", new Upgrade(…))`. The
 * request has passed its route, its middlewares and its guards like any other.
 */
export class Upgrade implements ServerUpgrade {
  readonly protocol: string;
  readonly take: ServerUpgrade["take"];
  readonly discard: () => void;

  constructor(protocol: string, { take, discard }: Pick<ServerUpgrade, "take" | "discard">) {
    this.protocol = protocol;
    this.take = take;
    this.discard = discard;
  }
}
