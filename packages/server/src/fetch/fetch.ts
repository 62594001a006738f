import { BodyMemory } from "../body/body-memory.ts";
import type { ToBodyError } from "../body/bounded-chunks.ts";
import { IncomingBody } from "../body/incoming-body.ts";
import { discard, isStream, toByteStream } from "../body/stream.ts";
import type { HeaderValue, Incoming, Outgoing, Upgrade } from "../handler.ts";
import type { ServerOptions } from "../options.ts";
import { findHeader, toHeaderMap } from "../request/header-list.ts";
import { type Inspected, inspect, isRejected, type RejectedRequest } from "../request/inspect.ts";
import { isBodiless, toHeaderList } from "../response/response-head.ts";

/** Web `Request` → web `Response`: the same handler, the same checks, no socket. */
export async function handleFetch(options: ServerOptions, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const rawHeaders = [...request.headers].flat();
  if (!request.headers.has("host")) rawHeaders.push("host", url.host);
  const target = url.pathname + url.search;
  const head = inspect({ method: request.method, url: target, httpVersion: "1.1", rawHeaders }, options);
  if (isRejected(head)) return refuseFetch(request, head, options);
  const incoming = new FetchIncoming(request, head, rawHeaders, url.protocol.slice(0, -1), options.toBodyError);
  const outgoing = await options.handler.handle(incoming);
  incoming.releaseBody();
  if (outgoing.status === 101) {
    const upgrade = outgoing.body as Upgrade; // the body of this status
    upgrade.discard(); // there is no socket to take over
    const response = refuseFetch(request, { status: 426, reason: "upgrade" }, options);
    response.headers.set("upgrade", upgrade.protocol);
    return response;
  }
  try {
    return toResponse(outgoing, request.method === "HEAD");
  } catch (error) {
    discard(outgoing.body);
    options.log.error({ err: error }, `${incoming.method} ${incoming.path}: the response could not be written`);
    return refuseFetch(request, { status: 500, reason: "response" }, options);
  }
}

export function refuseFetch(
  { method }: Request,
  { status, reason }: RejectedRequest,
  { toRefusal }: Pick<ServerOptions, "toRefusal">,
): Response {
  const { type, body } = toRefusal(status, reason);
  return new Response(method === "HEAD" ? null : body, { status, headers: { "content-type": type } });
}

/** What reads a body in `fetch` is bounded by each request's limits; only a server has a total. */
const unbounded = new BodyMemory(Number.POSITIVE_INFINITY, () => new Error());

class FetchIncoming implements Incoming {
  method: string;
  readonly path: string;
  readonly search: string;
  readonly host: string;
  readonly protocol: string;
  readonly address = "";
  readonly peer = undefined;
  readonly #request: Request;
  readonly #rawHeaders: readonly string[];
  readonly #toError: ToBodyError;
  readonly #body: IncomingBody;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(
    request: Request,
    head: Inspected,
    rawHeaders: readonly string[],
    protocol: string,
    toError: ToBodyError,
  ) {
    this.method = request.method;
    this.path = head.path;
    this.search = head.search;
    this.host = head.host;
    this.protocol = protocol;
    this.#request = request;
    this.#rawHeaders = rawHeaders;
    this.#toError = toError;
    this.#body = new IncomingBody(head.contentLength, this, unbounded, toError);
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

  readBody(limit: number, timeout: number): Uint8Array | Promise<Uint8Array> {
    return this.#body.read(limit, timeout);
  }

  streamBody(limit: number, timeout: number): AsyncIterable<Uint8Array> {
    return this.#body.stream(limit, timeout);
  }

  releaseBody(): void {
    this.#body.release();
  }

  start(): void {
    void this.#feed();
  }

  resume(): void {
    this.#room?.resolve();
  }

  stop(): void {
    this.resume();
    this.#reader?.cancel().catch(() => {}); // its own error concerns nothing here: the body has failed, or is not wanted
  }

  async #feed(): Promise<void> {
    const body = this.#body;
    try {
      this.#reader = this.#request.body?.getReader();
      for (let step = await this.#reader?.read(); step?.done === false; step = await this.#reader?.read()) {
        if (body.push(step.value)) continue;
        this.#room = Promise.withResolvers();
        await this.#room.promise;
      }
      body.end();
    } catch (error) {
      body.fail(this.#toError(400, error));
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
