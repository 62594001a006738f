import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { Server as HttpsServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { type ClientInfo, type FetchServer, type ServeOptions, serve as serveFetch } from "../../../src/serve.ts";
import type { WireMessage } from "../../../src/wire/message.ts";

// What the tests of @hono/node-server import of it, on the server of this repository. See ../../hono-node-server.test.ts.

interface AdapterOptions {
  readonly fetch: (request: Request, env: unknown) => Response | Promise<Response>;
  readonly port?: number;
  readonly hostname?: string;
  readonly serverOptions?: { readonly key: Buffer; readonly cert: Buffer };
  readonly errorHandler?: (error: unknown) => Response | Promise<Response>;
}

function start({ fetch, serverOptions, errorHandler }: AdapterOptions): Promise<FetchServer> {
  return serveFetch({
    fetch: (request, client) => fetch(request, { incoming: toIncoming(request, client) }),
    port: 0,
    limits: { body: 64 * 1024 * 1024 }, // upstream has no limit, and its tests send 10 MiB
    ...(serverOptions === undefined ? {} : { tls: serverOptions }),
    ...(errorHandler === undefined ? {} : { onError: errorHandler }),
  } satisfies ServeOptions);
}

/** Of an `IncomingMessage`, what the tests of disconnects use. */
function toIncoming(request: Request, { incoming }: ClientInfo) {
  return {
    socket: incoming.socket,
    get complete() {
      return (incoming as WireMessage).body?.complete ?? true; // a message of this server
    },
    once: (_: "aborted", listener: () => void) => request.signal.addEventListener("abort", listener, { once: true }),
  };
}

/**
 * Begins to listen at once, as supertest needs it, and passes the bytes of each connection on: the server of this
 * repository opens its port asynchronously.
 */
export function createAdaptorServer(options: AdapterOptions): Server {
  const front = createServer({ allowHalfOpen: true }, async (client: Socket) => {
    client.on("error", () => {});
    const { port } = await (started as Promise<FetchServer>); // it listens
    const server = connect({ port, allowHalfOpen: true });
    server.on("error", () => {});
    client.pipe(server).pipe(client);
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroySoon());
  });
  let started: Promise<FetchServer> | undefined;
  front.on("listening", () => {
    started = start(options);
  });
  const close = front.close.bind(front);
  if (options.serverOptions !== undefined) Object.setPrototypeOf(front, HttpsServer.prototype); // supertest asks for it
  front.close = (callback) => {
    void started?.then((server) => server.close());
    return close(callback);
  };
  return front;
}

export function serve(options: AdapterOptions, onListening?: (address: AddressInfo) => void): Server {
  const server = createAdaptorServer(options);
  // a TCP server has this kind of address
  return server.listen(options.port ?? 3000, options.hostname, () => onListening?.(server.address() as AddressInfo));
}

/** A listener for node:http, which passes the request on. */
export function getRequestListener(fetch: AdapterOptions["fetch"], options: Omit<AdapterOptions, "fetch"> = {}) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    await using server = await startDisposable({ ...options, fetch });
    const { method, url: path } = req;
    const { port } = server;
    const headers = req.rawHeaders;
    const passed = httpRequest({ port, headers, setHost: false, agent: false, ...{ method, path } });
    res.on("close", () => passed.destroy());
    req.pipe(passed);
    const [response] = (await once(passed, "response")) as [IncomingMessage];
    res.writeHead(response.statusCode as number, response.rawHeaders); // a response has a status
    await pipeline(response, res);
  };
}

async function startDisposable(options: AdapterOptions) {
  const server = await start(options);
  return { port: server.port, [Symbol.asyncDispose]: () => server.close() };
}
