import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { endsWithin } from "../body/ends-within.ts";
import { openPort } from "../open-port.ts";
import type { HttpServer, ServerOptions } from "../options.ts";
import { Exchange } from "../response/exchange.ts";
import { NodeMessage } from "./message.ts";

/**
 * A listener on node:http, for programs that patch it. Node parses, applies its timeouts and keeps connections; the
 * inspection and the limits of sizes are ours. docs/http-engines.md says what it does not promise.
 */
export class NodeServer implements HttpServer {
  readonly #exchange: Exchange;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  // not by `import`, whose names do not follow an agent that replaces functions of this module
  readonly #http = process.getBuiltinModule("node:http");

  constructor(options: ServerOptions) {
    this.#exchange = new Exchange(options);
    const { uri, headerBytes, headerTimeout, requestTimeout, keepAlive } = options.limits;
    const settings = {
      maxHeaderSize: uri + headerBytes + 1024, // request line and headers together; the inspection counts them apart
      headersTimeout: Math.min(headerTimeout, requestTimeout), // node refuses one that is longer than requestTimeout
      requestTimeout,
      keepAliveTimeout: keepAlive,
      requireHostHeader: false, // the inspection refuses a request without one
      shouldUpgradeCallback: (req: IncomingMessage) => !hasBody(req),
    };
    this.#server =
      options.tls === undefined
        ? this.#http.createServer(settings)
        : process
            .getBuiltinModule("node:https")
            .createServer({ ...settings, handshakeTimeout: headerTimeout, ...options.tls });
    this.#server.maxHeadersCount = 0; // node would drop the surplus silently; the inspection counts and refuses
    this.#server
      .on("request", this.#onRequest)
      .on("upgrade", this.#onUpgrade)
      .on("connection", (socket: Socket) => {
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
    return openPort(this.#server, port, host, this.#exchange.options.log);
  }

  async close(): Promise<void> {
    const { limits, log } = this.#exchange.options;
    this.#exchange.stopping = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#exchange.endStreams();
    // a connection whose response had said `keep-alive` before becomes idle later
    const idle = setInterval(() => this.#server.closeIdleConnections(), 100);
    if (!(await endsWithin(closed, limits.stopTimeout))) {
      log.warn({ connections: this.#sockets.size }, "the stop timed out: connections of running requests are closed");
      for (const socket of this.#sockets) socket.destroy();
      await closed;
    }
    clearInterval(idle);
  }

  readonly #onRequest = (req: IncomingMessage, res: ServerResponse, following?: Uint8Array): void => {
    const message = new NodeMessage(req, res, this.#exchange, following);
    if (this.#exchange.admit(message)) this.#exchange.handle(message);
  };

  /** A request that asks for another protocol: its route may still send a plain response, after which the socket closes. */
  readonly #onUpgrade = (req: IncomingMessage, socket: Socket, following: Uint8Array): void => {
    const res = new this.#http.ServerResponse(req);
    socket.on("error", () => {}); // `close` follows
    if (hasBody(req)) {
      socket.destroy(); // a Node that does not know shouldUpgradeCallback has stopped parsing
      return;
    }
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    res.once("finish", () => socket.end());
    this.#onRequest(req, res, following);
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
