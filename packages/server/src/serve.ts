import type { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { format } from "node:util";
import { toRequestBody } from "./body/stream.ts";
import type { Incoming, Outgoing, OutgoingBody } from "./handler.ts";
import type { HttpServer, ServerLog, TlsSettings } from "./options.ts";
import { parseRange } from "./request/ip-range.ts";
import { defaultLimits, type ServerLimits, toSingleHeaders } from "./request/limits.ts";
import type { WireMessage } from "./wire/message.ts";
import { WireServer } from "./wire/server.ts";

export interface ServeOptions {
  readonly fetch: (request: Request, client: ClientInfo) => Response | Promise<Response>;
  /** Gets what `fetch` throws. Defaults to a log line and a bare 500. */
  readonly onError?: (error: unknown, request: Request) => Response | Promise<Response>;
  /** Zero takes any free port. Defaults to 3000. */
  readonly port?: number;
  /** Defaults to 127.0.0.1, which is reachable from this machine only. */
  readonly hostname?: string;
  /** Serves https. */
  readonly tls?: TlsSettings;
  readonly limits?: Partial<ServerLimits>;
  /** Peers whose `X-Forwarded-*` headers count, as addresses or CIDR ranges. Defaults to none. */
  readonly trustedProxies?: readonly string[];
  /** Defaults to standard error, without `info`. */
  readonly log?: ServerLog;
}

/** The second argument of `fetch`, where `getConnInfo()` of `@hono/node-server` looks for the socket. */
export interface ClientInfo {
  /** Address and protocol are those that trusted proxies report, if there are any. */
  readonly incoming: Pick<Incoming, "address" | "protocol"> & { readonly socket: Socket };
}

/** A server that listens. */
export interface FetchServer extends Pick<HttpServer, "connections" | "close"> {
  readonly url: string;
  readonly port: number;
}

const print: ServerLog["error"] = (fields, message) => void process.stderr.write(`${format(message, fields)}\n`);

/** Serves a fetch handler: a function from `Request` to `Response`, as Hono and h3 applications have. */
export async function serve(options: ServeOptions): Promise<FetchServer> {
  const { port = 3000, hostname = "127.0.0.1", tls, trustedProxies = [] } = options;
  const { log = { info() {}, warn: print, error: print } } = options;
  const limits = { ...defaultLimits, ...options.limits };
  for (const [name, value] of Object.entries(limits)) {
    if (!(Number.isInteger(value) && value >= 1))
      throw new RangeError(`limits.${name} takes a whole number, not ${value}`);
  }
  for (const range of trustedProxies) {
    if (parseRange(range) === undefined) throw new TypeError(`trustedProxies: ${range} is not an address or a range`);
  }
  const server = new WireServer({
    handler: { handle: (incoming) => handle(incoming as WireMessage, options, limits, log) }, // of this server
    limits,
    trustedProxies,
    singleHeaders: toSingleHeaders(),
    toRefusal,
    toBodyError: (status, detail) => new BodyError(status, detail),
    log,
    tls,
  });
  const { address, family, port: bound } = await server.listen(port, hostname);
  const url = `${tls === undefined ? "http" : "https"}://${family === "IPv6" ? `[${address}]` : address}:${bound}`;
  return Object.assign(server, { url, port: bound });
}

/** The body is too large, too slow or cut off. Hono and h3 respond with its status. */
class BodyError extends Error {
  readonly status: number;

  constructor(status: number, cause: unknown) {
    super(toRefusal(status).body, { cause });
    this.status = status;
  }

  /** Hono's handler of errors asks for it. */
  getResponse(): Response {
    return new Response(this.message, { status: this.status });
  }
}

function toRefusal(status: number): { readonly type: string; readonly body: string } {
  return { type: "text/plain", body: process.getBuiltinModule("node:http").STATUS_CODES[status] ?? "" };
}

async function handle(
  incoming: WireMessage,
  { fetch, onError }: ServeOptions,
  limits: ServerLimits,
  log: ServerLog,
): Promise<Outgoing> {
  let request: Request | undefined;
  try {
    request = toRequest(incoming, limits);
    return await toOutgoing(await fetch(request, { incoming }));
  } catch (error) {
    try {
      if (error instanceof BodyError) return await toOutgoing(error.getResponse());
      if (onError !== undefined && request !== undefined) return await toOutgoing(await onError(error, request));
    } catch {
      // onError() has failed: what it was called for is in the log
    }
    if (!incoming.signal.aborted) log.error({ err: error }, `${incoming.method} ${incoming.path}: the handler failed`);
    const headers = { "content-type": "text/plain" };
    return toOutgoing(new Response("Internal Server Error", { status: 500, headers }));
  }
}

function toRequest(incoming: WireMessage, { body: limit, requestTimeout }: ServerLimits): Request {
  const { method, protocol, host, path, search, signal } = incoming;
  const url = `${protocol}://${host || "localhost"}${path}${search && `?${search}`}`;
  const init = { method, headers: incoming.headers(), signal };
  if (method === "GET" || method === "HEAD") return new Request(url, init);
  const body = toRequestBody(() => incoming.streamBody(limit, requestTimeout));
  const withBody = { ...init, body, duplex: "half" as const }; // a variable: the types of browsers have no `duplex`
  return new Request(url, withBody);
}

/** `Headers` lets control characters through. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

async function toOutgoing(response: Response): Promise<Outgoing> {
  const { status, headers } = response;
  if (!(status >= 200)) throw new TypeError("fetch() did not return a Response that can be sent");
  // `fetch` has decoded the body of a response of another server
  const dropped = response.url === "" ? [] : ["content-encoding", "content-length"];
  const list = [...headers].filter(([name]) => !dropped.includes(name));
  for (const [name, value] of list) {
    if (!headerValue.test(value)) throw new TypeError(`The value of header ${name} has a control character`);
  }
  return {
    status,
    body: response.body === null ? null : await readStart(response.body, headers.has("transfer-encoding")),
    type: headers.get("content-type") ?? "",
    closes: /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i.test(headers.get("connection") ?? ""),
    extraHeaders: () => list,
  };
}

/** A body that is complete at once is written in one piece, with its length; any other, or one declared as such, is a stream. */
async function readStart(body: ReadableStream<Uint8Array>, isStream: boolean): Promise<OutgoingBody> {
  const reader = body.getReader();
  const first = reader.read();
  const second = first.then(() => reader.read());
  second.catch(() => {}); // the writer may never come to it: the unhandled rejection would crash the process
  const [start, next] = await Promise.race([Promise.all([first, second]), turn([])]);
  if (next?.done && !isStream) return start?.value ?? new Uint8Array();
  // an empty chunk sends the head: the client of a stream that is silent at first waits for it
  const begun = [
    ...(start === undefined ? [Promise.resolve({ done: false, value: new Uint8Array() })] : []),
    first,
    second,
  ];
  const chunks: AsyncIterator<unknown> = {
    next: () => begun.shift() ?? reader.read(),
    return: () => reader.cancel().then(() => ({ done: true, value: undefined })),
  };
  return { [Symbol.asyncIterator]: () => chunks };
}
