import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { discard } from "../../body/stream.ts";
import type { HeaderValue } from "../../request/headers.ts";
import type { Outgoing, Upgrade } from "../../request/reply.ts";
import type { Engine, EngineOptions } from "../engine.ts";
import { inspect, isRefusal, type RequestHead, toErrorBody } from "../inspect.ts";
import { ProxyTrust } from "../proxy.ts";
import { pump, TextBuffers } from "../pump.ts";
import { Turns } from "../turns.ts";
import { declaredLengthOf, type ResponseTarget, writeResponse } from "../write.ts";
import { NodeIncoming } from "./incoming.ts";

/**
 * A listener on node:http, for programs that patch it. Node parses, applies its timeouts and keeps connections; the
 * inspection and the limits of sizes are ours. docs/http-engines.md says what it does not promise.
 */
export class NodeServer implements Engine {
  readonly #options: EngineOptions;
  readonly #trust: ProxyTrust;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** End the open event streams. */
  readonly #endings = new Set<() => void>();
  readonly #turns = new Turns(10);
  readonly #texts = new TextBuffers();
  #stopping = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#trust = new ProxyTrust(options.settings.trustedProxies, (message) => options.log.warn(message));
    const { uri, headerBytes, headerTimeout, requestTimeout, keepAlive } = options.settings.limits;
    const settings = {
      maxHeaderSize: uri + headerBytes + 1024, // request line and headers together; the inspection counts them apart
      headersTimeout: Math.min(headerTimeout, requestTimeout), // node refuses one that is longer than requestTimeout
      requestTimeout,
      keepAliveTimeout: keepAlive,
      requireHostHeader: false, // the inspection refuses a request without one
    };
    // not by `import`, whose names do not follow an agent that replaces functions of these modules
    this.#server =
      options.tls === undefined
        ? process.getBuiltinModule("node:http").createServer(settings)
        : process
            .getBuiltinModule("node:https")
            .createServer({ ...settings, handshakeTimeout: headerTimeout, ...options.tls });
    this.#server.maxHeadersCount = 0; // node would drop the surplus silently; the inspection counts and refuses
    this.#server.on("request", this.#onRequest).on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => {
        this.#sockets.delete(socket);
      });
    });
  }

  get connections(): number {
    return this.#sockets.size;
  }

  listen(port: number, host: string): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject).listen({ port, host }, () => {
        this.#server.off("error", reject);
        this.#server.on("error", (error) => this.#options.log.error({ err: error }, "the server failed"));
        resolve(this.#server.address() as AddressInfo); // a TCP server has no other kind of address
      });
    });
  }

  async close(): Promise<void> {
    const { log, settings } = this.#options;
    this.#stopping = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const end of this.#endings) end();
    // a connection whose response had said `keep-alive` before becomes idle later
    const idle = setInterval(() => this.#server.closeIdleConnections(), 100);
    const deadline = setTimeout(() => {
      log.warn({ connections: this.#sockets.size }, "the stop timed out: connections of running requests are closed");
      for (const socket of this.#sockets) socket.destroy();
    }, settings.limits.stopTimeout);
    await closed;
    clearInterval(idle);
    clearTimeout(deadline);
  }

  readonly #onRequest = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { handler, settings, log, bodies } = this.#options;
    const head = inspect(req as RequestHead, settings); // the request of a server has a method and a URL
    if (isRefusal(head)) {
      log.info({ status: head.status, reason: head.reason }, "refused");
      this.#sendError(res, head.status);
      return;
    }
    const incoming = new NodeIncoming(req, res, head, this.#trust, bodies);
    const outgoing = await handler.handle(incoming); // never rejects
    incoming.releaseBody();
    const label = `${incoming.method} ${incoming.path}`;
    try {
      this.#write(res, incoming, outgoing, label);
    } catch (error) {
      log.error({ err: error }, `${label}: the response could not be written`);
      discard(outgoing.body);
      this.#sendError(res, 500);
    }
  };

  #write(res: ServerResponse, incoming: NodeIncoming, outgoing: Outgoing, label: string): void {
    if (outgoing.status === 101) {
      const upgrade = outgoing.body as Upgrade; // the body of this status
      upgrade.discard();
      this.#sendError(res, 426, ["upgrade", upgrade.protocol]);
      return;
    }
    const { unread, log } = this.#options;
    const { socket } = res.req; // a pipelined response has none of its own yet
    const isHead = incoming.method === "HEAD";
    const stream = writeResponse(toTarget(res), outgoing, { isHead, close: outgoing.closes || this.#stopping, unread });
    if (stream === undefined) {
      this.#watch(res, socket);
      return;
    }
    const pumped = pump(res, stream, declaredLengthOf(outgoing), {
      socket,
      eventStream: outgoing.type.startsWith("text/event-stream"),
      unread,
      turns: this.#turns,
      texts: this.#texts,
      endings: this.#endings,
      onEarlyEnd: () => incoming.abort(),
      onError: (error) => log.error({ err: error }, `${label}: the stream failed`),
    });
    void pumped.then(() => this.#watch(res, socket));
    if (this.#stopping) for (const end of this.#endings) end(); // one that opens after the others were ended
  }

  /** Watches a whole response until its client has read it: node:http waits forever. */
  #watch(res: ServerResponse, socket: Socket): void {
    const { unread } = this.#options;
    if (res.writableLength === 0 || socket.destroyed) return;
    unread.hold(socket, res.writableLength);
    // before node:http starts the timeout of an idle connection, which the release would clear
    res.prependOnceListener("finish", () => unread.release(socket));
    res.once("close", () => {
      if (!res.writableFinished) unread.forget(socket);
    });
  }

  #sendError(res: ServerResponse, status: number, headers: readonly string[] = []): void {
    const { errors } = this.#options.settings;
    const body = status === 204 ? "" : toErrorBody(status, errors);
    const length = String(Buffer.byteLength(body));
    const described = body === "" ? [] : ["content-type", errors.type, "content-length", length];
    toTarget(res).send(status, [...headers, ...described], res.req.method === "HEAD" ? null : body, true);
  }
}

function toTarget(res: ServerResponse): ResponseTarget {
  const begin = (status: number, headers: HeaderValue[], close: boolean) => {
    if (close) res.shouldKeepAlive = false;
    res.writeHead(status, headers as (string | string[])[]); // node's type takes no read-only lists
  };
  return {
    destroyed: res.destroyed,
    begin,
    send(status, headers, body, close) {
      begin(status, headers, close);
      res.end(typeof body === "string" ? Buffer.from(body) : body); // as text, it would change the encoding of the head
    },
  };
}
