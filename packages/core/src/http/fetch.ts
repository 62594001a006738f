import { toBodyError, tooLarge } from "../body/body-error.ts";
import { BodyReader, refuseBody } from "../body/body-reader.ts";
import { boundedChunks } from "../body/bounded-chunks.ts";
import { discard, isStream, toByteStream } from "../body/stream.ts";
import type { Outgoing, Upgrade } from "../request/reply.ts";
import type { EngineOptions } from "./engine.ts";
import { findHeader, type Inspected, inspect, isRejected, type RejectedRequest, toHeaderMap } from "./inspect.ts";
import { type HeaderValue, isBodiless, toHeaderList } from "./write.ts";

/** Web `Request` → web `Response`: the same kernel, the same checks, no socket. */
export async function handleFetch(engine: EngineOptions, request: Request): Promise<Response> {
  const { handler, log, settings } = engine;
  const url = new URL(request.url);
  const rawHeaders = [...request.headers].flat();
  if (!request.headers.has("host")) rawHeaders.push("host", url.host);
  const target = url.pathname + url.search;
  const head = inspect({ method: request.method, url: target, httpVersion: "1.1", rawHeaders }, settings);
  if (isRejected(head)) return refuse(request, head, engine);
  const incoming = new FetchIncoming(request, head, rawHeaders, url.protocol.slice(0, -1));
  const outgoing = await handler.handle(incoming);
  if (outgoing.status === 101) {
    const upgrade = outgoing.body as Upgrade; // the body of this status
    upgrade.discard(); // there is no socket to take over
    const response = refuse(request, { status: 426, reason: "upgrade" }, engine);
    response.headers.set("upgrade", upgrade.protocol);
    return response;
  }
  try {
    return toResponse(outgoing, request.method === "HEAD");
  } catch (error) {
    discard(outgoing.body);
    log.error({ err: error }, `${incoming.method} ${incoming.path}: the response could not be written`);
    return refuse(request, { status: 500, reason: "response" }, engine);
  }
}

export function refuse({ method }: Request, { status, reason }: RejectedRequest, engine: EngineOptions): Response {
  const { type, body } = engine.toRefusal(status, reason);
  return new Response(method === "HEAD" ? null : body, { status, headers: { "content-type": type } });
}

class FetchIncoming {
  method: string;
  readonly path: string;
  readonly search: string;
  readonly host: string;
  readonly protocol: string;
  readonly address = "";
  readonly peer = undefined;
  readonly #request: Request;
  readonly #rawHeaders: readonly string[];
  readonly #contentLength: number;

  constructor(request: Request, head: Inspected, rawHeaders: readonly string[], protocol: string) {
    this.method = request.method;
    this.path = head.path;
    this.search = head.search;
    this.host = head.host;
    this.protocol = protocol;
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
    if (this.#contentLength > limit) return refuseBody(tooLarge());
    const reader = new BodyReader(limit, timeout);
    void this.#feed(reader);
    return reader.result;
  }

  streamBody(limit: number, timeout: number): AsyncIterable<Uint8Array> {
    const source = this.#request.body?.getReader();
    const next = async () => (await source?.read()) ?? ({ done: true, value: undefined } as const);
    const declared = this.#contentLength;
    return boundedChunks({ next, stop: () => source?.cancel() }, { declared, limit, timeout });
  }

  async #feed(reader: BodyReader): Promise<void> {
    try {
      const source = this.#request.body?.getReader();
      reader.result.catch(() => source?.cancel().catch(() => {})); // too large or too slow: stops its source
      for (let step = await source?.read(); step?.done === false; step = await source?.read()) {
        if (!reader.push(step.value)) return;
      }
      reader.end();
    } catch (error) {
      reader.fail(toBodyError(400, error));
    }
  }
}

function toResponse(outgoing: Outgoing, head: boolean): Response {
  const { status, body } = outgoing;
  const list = toHeaderList(outgoing, head);
  const headers = new Headers();
  for (let index = 0; index < list.length; index += 2) {
    const value = list[index + 1] as HeaderValue; // names and values alternate
    for (const item of typeof value === "string" ? [value] : value) headers.append(list[index] as string, item);
  }
  if (body === null || head || isBodiless(status)) {
    discard(body);
    return new Response(null, { status, headers });
  }
  if (isStream(body)) return new Response(toByteStream(body[Symbol.asyncIterator]()), { status, headers });
  return new Response(body as string | Uint8Array<ArrayBuffer>, { status, headers }); // the type excludes shared memory, which no body is
}
