import { boundedChunks } from "../body/bounded-chunks.ts";
import { discard, isStream, toByteStream } from "../body/stream.ts";
import type { HeaderValue, Incoming, Outgoing, Upgrade } from "../handler.ts";
import type { ServerOptions } from "../options.ts";
import { findHeader, toHeaderMap } from "../request/header-list.ts";
import { inspect, isRejected, type RejectedRequest } from "../request/inspect.ts";
import { isBodiless, toHeaderList } from "../response/response-head.ts";

/** Web `Request` → web `Response`: the same handler, the same checks, no socket. */
export async function handleFetch(options: ServerOptions, request: Request): Promise<Response> {
  const { method } = request;
  const url = new URL(request.url);
  const rawHeaders = [...request.headers].flat();
  if (!request.headers.has("host")) rawHeaders.push("host", url.host);
  const head = inspect({ method, url: url.pathname + url.search, httpVersion: "1.1", rawHeaders }, options);
  if (isRejected(head)) return refuseFetch(request, head, options);
  const { path, search, host, contentLength: declared } = head;
  const incoming: Incoming = {
    method,
    path,
    search,
    host,
    protocol: url.protocol.slice(0, -1),
    address: "",
    peer: undefined,
    get signal() {
      return request.signal;
    },
    header: (name) => findHeader(rawHeaders, name),
    headers: () => toHeaderMap(rawHeaders),
    readBody(limit, timeout) {
      const whole = collect(incoming.streamBody?.(limit, timeout) ?? []);
      whole.catch(() => {}); // a handler may not await it: the unhandled rejection would crash the process
      return whole;
    },
    streamBody: (limit, timeout) =>
      boundedChunks(read(request, options), { declared, limit, timeout }, options.toBodyError),
  };
  const outgoing = await options.handler.handle(incoming);
  if (outgoing.status === 101) {
    const upgrade = outgoing.body as Upgrade; // the body of this status
    upgrade.discard(); // there is no socket to take over
    const response = refuseFetch(request, { status: 426, reason: "upgrade" }, options);
    response.headers.set("upgrade", upgrade.protocol);
    return response;
  }
  try {
    return toResponse(outgoing, method === "HEAD");
  } catch (error) {
    discard(outgoing.body);
    options.log.error({ err: error }, `${method} ${path}: the response could not be written`);
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

async function collect(chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[]): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

function read(request: Request, { toBodyError }: ServerOptions) {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return {
    async next(): Promise<IteratorResult<Uint8Array, undefined>> {
      try {
        reader ??= request.body?.getReader();
        const { done = true, value } = (await reader?.read()) ?? {};
        return done || value === undefined ? { done: true, value: undefined } : { done, value };
      } catch (error) {
        throw toBodyError(400, error);
      }
    },
    stop: () => void reader?.cancel().catch(() => {}), // too large or too slow: its own error concerns nothing here
  };
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
