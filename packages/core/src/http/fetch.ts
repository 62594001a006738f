import { BodyReader, tooLarge } from "../context/body.ts";
import type { Incoming } from "../context/incoming.ts";
import { HttpError } from "../errors.ts";
import type { Kernel } from "../kernel.ts";
import type { Outgoing } from "../pipeline/outgoing.ts";
import { toChunk } from "../pipeline/stream.ts";
import { type Inspected, inspect, isRefusal } from "./inspect.ts";
import { findHeader, toHeaderMap } from "./raw-headers.ts";
import { toErrorBody } from "./refusal.ts";
import type { HttpSettings } from "./settings.ts";

/** Web `Request` in, web `Response` out: the same kernel, the same refusals, no socket. */
export async function handleFetch(kernel: Kernel, request: Request, settings: HttpSettings): Promise<Response> {
  const url = new URL(request.url);
  const rawHeaders = [...request.headers].flat();
  if (!request.headers.has("host")) rawHeaders.push("host", url.host);
  const target = url.pathname + url.search;
  const head = inspect({ method: request.method, target, version: "1.1", rawHeaders }, settings.limits);
  if (isRefusal(head)) {
    return new Response(request.method === "HEAD" ? null : toErrorBody(head.status), {
      status: head.status,
      headers: { "content-type": "application/json; charset=utf-8" },
    });
  }
  const incoming = new FetchIncoming(request, head, rawHeaders, url.protocol.slice(0, -1), target.length);
  return toResponse(await kernel.handle(incoming), request.method === "HEAD");
}

class FetchIncoming implements Incoming {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly host: string;
  readonly protocol: string;
  readonly targetLength: number;
  readonly address = "";
  readonly #request: Request;
  readonly #rawHeaders: readonly string[];
  readonly #contentLength: number;

  constructor(
    request: Request,
    head: Inspected,
    rawHeaders: readonly string[],
    protocol: string,
    targetLength: number,
  ) {
    this.method = request.method;
    this.path = head.path;
    this.search = head.search;
    this.host = head.host;
    this.protocol = protocol;
    this.targetLength = targetLength;
    this.#request = request;
    this.#rawHeaders = rawHeaders;
    this.#contentLength = head.contentLength ?? 0;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  header(name: string): string | undefined {
    return findHeader(this.#rawHeaders, name);
  }

  headers(): Record<string, string> {
    return toHeaderMap(this.#rawHeaders);
  }

  readBody(limit: number, timeout: number): Promise<Uint8Array> {
    if (this.#contentLength > limit) return Promise.reject(tooLarge());
    const reader = new BodyReader(limit, timeout);
    void this.#feed(reader);
    return reader.result;
  }

  async #feed(reader: BodyReader): Promise<void> {
    try {
      for await (const chunk of this.#request.body ?? []) {
        if (!reader.push(chunk)) return;
      }
      reader.end();
    } catch (error) {
      reader.fail(new HttpError(400, "Bad Request", { cause: error }));
    }
  }
}

function toResponse(outgoing: Outgoing, head: boolean): Response {
  const { status, body } = outgoing;
  const bodiless = status === 204 || status === 304;
  const headers = new Headers();
  for (const [name, value] of outgoing.headers.entries()) {
    for (const item of typeof value === "string" ? [value] : value) headers.append(name, item);
  }
  if (bodiless) {
    headers.delete("content-type");
    headers.delete("content-length");
    return new Response(null, { status, headers });
  }
  if (body === null || typeof body === "string" || body instanceof Uint8Array) {
    const length = body === null ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
    if (body !== null || !headers.has("content-length")) headers.set("content-length", String(length));
    return new Response(head ? null : (body as string | Uint8Array<ArrayBuffer> | null), { status, headers }); // the type leaves out shared memory, which nobody sends
  }
  if (head) {
    Promise.resolve(body[Symbol.asyncIterator]().return?.()).catch(() => {});
    return new Response(null, { status, headers });
  }
  return new Response(ReadableStream.from(toBytes(body)), { status, headers });
}

async function* toBytes(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const value of stream) {
    const chunk = toChunk(value);
    yield typeof chunk === "string" ? encoder.encode(chunk) : chunk;
  }
}
