import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Upgrade } from "../../request/reply.ts";
import { openPort } from "../builtin.ts";
import type { Engine, EngineOptions } from "../engine.ts";
import { inspect, isRejected, type RequestHead } from "../inspect.ts";
import { ProxyTrust } from "../proxy.ts";
import { Responder } from "../responder.ts";
import type { HeaderValue, ResponseTarget } from "../write.ts";
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
  readonly #responder: Responder;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#responder = new Responder(options);
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
    return openPort(this.#server, port, host, this.#options.log);
  }

  async close(): Promise<void> {
    const { log, settings } = this.#options;
    this.#responder.stopping = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#responder.endStreams();
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
    const { handler, settings, bodies } = this.#options;
    const target = toTarget(res);
    const head = inspect(req as RequestHead, settings); // the request of a server has a method and a URL
    if (isRejected(head)) {
      this.#responder.refuse(target, head);
      return;
    }
    const incoming = new NodeIncoming(req, res, head, this.#trust, bodies);
    const outgoing = await handler.handle(incoming); // never rejects
    incoming.releaseBody();
    if (outgoing.status === 101) {
      this.#responder.refuseUpgrade(target, outgoing.body as Upgrade); // the body of this status
      return;
    }
    const close = outgoing.closes || this.#responder.stopping;
    await this.#responder.write(outgoing, close, incoming, target, res);
    this.#watch(res, incoming.socket);
  };

  /** Watches a whole response until its client has read it: node:http waits forever. */
  #watch(res: ServerResponse, socket: Socket): void {
    const { pendingBytes } = this.#options;
    if (res.writableLength === 0 || socket.destroyed) return;
    pendingBytes.hold(socket, res.writableLength);
    // before node:http starts the timeout of an idle connection, which the release would clear
    res.prependOnceListener("finish", () => pendingBytes.release(socket));
    res.once("close", () => {
      if (!res.writableFinished) pendingBytes.forget(socket);
    });
  }
}

function toTarget(res: ServerResponse): ResponseTarget {
  const begin = (status: number, headers: HeaderValue[], close: boolean) => {
    if (close) res.shouldKeepAlive = false;
    res.writeHead(status, headers as (string | string[])[]); // node's type takes no read-only lists
  };
  return {
    get destroyed() {
      return res.destroyed;
    },
    isHead: res.req.method === "HEAD",
    begin,
    send(status, headers, body, close) {
      begin(status, headers, close);
      res.end(typeof body === "string" ? Buffer.from(body) : body); // as text, it would change the encoding of the head
    },
  };
}
