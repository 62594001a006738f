import type { MiddlewareFunction } from "../request/handler.ts";
import type { Outgoing } from "../request/reply.ts";
import { checkOptions, takes } from "../support/options.ts";
import { EncodedStream, type Encoding, encode, encodings as known } from "./encoded-stream.ts";
import { addVary, chooseEncoding } from "./negotiation.ts";

export interface CompressOptions {
  /** Bytes. Smaller bodies are not compressed. Defaults to 1,024. */
  readonly threshold?: number;
  /** In the order of preference. Defaults to `["br", "zstd", "gzip"]`. */
  readonly encodings?: readonly Encoding[];
}

/** Compresses responses for clients that accept it. List it before the middlewares whose responses it compresses. */
export function compress(options: CompressOptions = {}): MiddlewareFunction {
  checkOptions("compress()", options, { threshold: takes.wholeNumber(0), encodings: true });
  const { threshold = 1024, encodings = known } = options;

  return function compress(ctx, next) {
    ctx.onReply((outgoing) => {
      if (!mayChange(outgoing)) return;
      const { headers, status, body } = outgoing;
      const size = sizeOf(outgoing, ctx.method === "HEAD");
      if (size < threshold) return;
      addVary(headers, "Accept-Encoding");
      if (status === 304) return;
      const encoding = chooseEncoding(ctx.header("accept-encoding"), encodings);
      if (encoding === undefined) return;
      headers.removeHeader("accept-ranges"); // a part would be cut from the plain bytes and joined to these
      const tag = headers.header("etag");
      if (tag.startsWith('"')) headers.setHeader("etag", `W/${tag}`);
      const isSmall = (typeof body === "string" || body instanceof Uint8Array) && size <= mostAtOnce;
      outgoing.encode(encoding, () => (isSmall ? encode(body, encoding) : new EncodedStream(body, encoding)));
    });
    return next();
  };
}

// up to this size a stream takes about twice the processor time; past it, the process would be blocked for too long
const mostAtOnce = 16 * 1024;

/** Headers that describe the bytes of the body, which compression would change. */
const bound = ["content-encoding", "content-range", "content-digest", "repr-digest"];
const types =
  /^(?:text\/(?!event-stream)[^;]+|application\/(?:json|javascript|xml|wasm|x-ndjson|[^;]+\+(?:json|xml))|image\/(?:svg\+xml|x-icon|bmp)|font\/(?:ttf|otf))\s*(?:;|$)/i;

/** Event streams are not compressed: each event has to be sent at once, and little would be gained. */
function mayChange(outgoing: Outgoing): boolean {
  const { status, type } = outgoing;
  if (status === 204 || !types.test(type)) return false;
  const { headers } = outgoing;
  return !bound.some((name) => headers.has(name)) && !/\bno-transform\b/i.test(headers.header("cache-control"));
}

/** The size of a stream is known only from its `Content-Length`; without one it counts as large. */
function sizeOf({ body, status, headers }: Outgoing, head: boolean): number {
  if (typeof body === "string") return Buffer.byteLength(body);
  if (body instanceof Uint8Array) return body.byteLength;
  const announced = headers.header("content-length");
  if (body !== null || status === 304) return announced === "" ? Number.POSITIVE_INFINITY : Number(announced);
  return head ? Number(announced) : 0; // the response to HEAD has the length of a body that is not sent
}
