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
  /** The last response of each connection: pipelined requests run together. */
  readonly #responses = new WeakMap<Socket, ServerResponse>();
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
      shouldUpgradeCallback: (req: IncomingMessage) => this.#mayUpgrade(req),
    };
    this.#server =
      options.tls === undefined
        ? this.#http.createServer(settings)
        : process
            .getBuiltinModule("node:https")
            .createServer({ ...settings, handshakeTimeout: headerTimeout, ...options.tls });
    // a Node that does not ask, before 24.9, would upgrade requests with a body too: there all of them get 426
    if ("shouldUpgradeCallback" in this.#server) this.#server.on("upgrade", this.#onUpgrade);
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
    this.#responses.set(req.socket, res);
    const message = new NodeMessage(req, res, this.#exchange, following);
    if (this.#exchange.admit(message)) this.#exchange.handle(message);
  };

  /** A request with a body is never upgraded, nor one that is pipelined: its protocol would begin in another response. */
  #mayUpgrade({ headers, httpVersion, socket }: IncomingMessage): boolean {
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    return !hasBody && httpVersion === "1.1" && this.#responses.get(socket)?.closed !== false;
  }

  /** node:http has left the socket: a plain response to this request is written by one of our own, and closes it. */
  readonly #onUpgrade = (req: IncomingMessage, socket: Socket, following: Uint8Array): void => {
    const res = new this.#http.ServerResponse(req);
    socket.on("error", () => {}); // `close` follows
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    res.once("finish", () => socket.destroySoon());
    this.#onRequest(req, res, following);
  };
}
