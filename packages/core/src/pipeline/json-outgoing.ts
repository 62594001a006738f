import type { Context } from "../context/context.ts";
import { ResponseHeaders } from "../context/response-headers.ts";
import { JsonArray } from "./json-array.ts";
import { Outgoing } from "./outgoing.ts";
import { isResponse, type RawBody, type Reply } from "./reply.ts";
import { Chunks, toJson } from "./stream.ts";

const json = "application/json; charset=utf-8";

/** Data as JSON; text, bytes, streams and a `Response` as they are. */
export function toJsonOutgoing(reply: Reply, ctx: Context): Outgoing | Promise<Outgoing> {
  const { status, value } = reply;
  switch (reply.kind) {
    case "json":
      return new Outgoing(status, toJson(value), json, ctx.takeHeaders());
    case "text":
      return new Outgoing(status, String(value), "text/plain; charset=utf-8", ctx.takeHeaders());
    case "empty":
      return new Outgoing(status, null, "", ctx.takeHeaders());
    case "raw":
      return passThrough(value as RawBody, status, ctx); // toReply made it raw
  }
}

function passThrough(body: RawBody, status: number, ctx: Context): Outgoing | Promise<Outgoing> {
  if (isResponse(body)) return fromResponse(body, ctx);
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) {
    const bytes = body instanceof Uint8Array ? body : new Uint8Array(body);
    return new Outgoing(status, bytes, "application/octet-stream", ctx.takeHeaders());
  }
  if (body instanceof JsonArray) {
    return body.open().then((opened) => new Outgoing(status, opened, json, ctx.takeHeaders()));
  }
  const chunks = new Chunks(body);
  // an event stream may stay silent for long, and its client waits for the head
  if (ctx.response().header("content-type").startsWith("text/event-stream")) {
    return new Outgoing(status, chunks, "", ctx.takeHeaders());
  }
  return chunks.open().then(() => new Outgoing(status, chunks, chunks.type, ctx.takeHeaders()));
}

/** They spoke about the connection to another server, and `fetch` has already unpacked the body. */
const headersOfTheirConnection = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "keep-alive",
  "transfer-encoding",
]);

function fromResponse(response: Response, ctx: Context): Outgoing {
  if (response.status < 200) throw new TypeError("Response.error() cannot be answered with");
  if (response.bodyUsed) throw new TypeError("the body of the returned Response was already read");
  const headers = ctx.takeHeaders() ?? new ResponseHeaders();
  const fetched = response.url !== "";
  for (const [name, value] of response.headers) {
    if (name === "set-cookie" || (fetched && headersOfTheirConnection.has(name))) continue;
    headers.setHeader(name, value);
  }
  for (const cookie of response.headers.getSetCookie()) headers.addHeader("set-cookie", cookie);
  return new Outgoing(response.status, response.body === null ? null : new Chunks(response.body), "", headers);
}
