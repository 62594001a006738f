import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { HttpError } from "../errors.ts";
import { createHttpServer, createHttpsServer, createResponse, STATUS_CODES } from "./builtin.ts";
import type { Engine, EngineOptions } from "./engine.ts";
import { Exchange } from "./exchange.ts";
import type { RequestHead } from "./message.ts";
import { NodeConnection } from "./node-connection.ts";
import { NodeMessage } from "./node-message.ts";
import { codeOf, statusOfParserError, toRawResponse } from "./refusal.ts";
import { keepAliveMargin } from "./settings.ts";
import { shutDown } from "./shutdown.ts";

/** The engine on node:http, as a user of its public API: start, connections, errors of the parser, shutdown. */
export class NodeServer implements Engine {
  readonly #server: Server;
  readonly #options: EngineOptions;
  readonly #exchange: Exchange;
  readonly #connections = new Map<Duplex, NodeConnection>();
  readonly #handshakes = new Map<string, Socket>();
  readonly #idleTimer: NodeJS.Timeout;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#exchange = new Exchange(options);
    const { tls } = options;
    const { uri, headerBytes, headerTimeout, requestTimeout, keepAlive } = options.settings.limits;
    const headersTimeout = Math.min(headerTimeout, requestTimeout); // node refuses the longer one
    const serverOptions = {
      // the parser's own limit covers request line and headers together; the inspection counts them apart
      maxHeaderSize: uri + headerBytes + 1024,
      headersTimeout,
      requestTimeout,
      keepAliveTimeout: 0, // the idle timer below closes idle connections, without a timer for each request
      connectionsCheckingInterval: Math.min(250, headersTimeout), // how late a timeout may fire
      requireHostHeader: false, // the inspection refuses it, with a body like that of every other refusal
      optimizeEmptyRequests: true, // a request without a body gets no stream
      shouldUpgradeCallback: this.#acceptsUpgrade,
    };
    this.#server =
      tls === undefined
        ? createHttpServer(serverOptions)
        : createHttpsServer({ ...serverOptions, handshakeTimeout: headerTimeout, ...tls });
    this.#server.maxHeadersCount = 0; // node would drop the surplus silently; the inspection counts and refuses
    // without it, a client that closes its sending side after the request gets no response
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#server
      .on("request", (req, res) => this.#onRequest(req, res, false))
      .on("checkContinue", (req, res) => this.#onRequest(req, res, true))
      .on("checkExpectation", (req, res) => this.#onRequest(req, res, true))
      .on("upgrade", this.#onUpgrade)
      .on("clientError", this.#onClientError)
      .on("timeout", this.#onTimeout);
    const checkEvery = Math.min(1000, keepAlive);
    const maxChecks = Math.ceil((keepAlive * keepAliveMargin) / checkEvery);
    const checkIdle = () => {
      for (const connection of this.#connections.values()) connection.checkIdle(maxChecks);
    };
    // after sockets are read: closing one resets a request that has just arrived
    this.#idleTimer = setInterval(() => setImmediate(checkIdle), checkEvery).unref();
    if (tls === undefined) this.#server.on("connection", this.#onConnection);
    else this.#server.on("connection", this.#onHandshake).on("secureConnection", this.#onConnection);
  }

  get connections(): number {
    return this.#connections.size;
  }

  listen(port: number, host: string): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ port, host }, () => {
        this.#server.off("error", reject);
        this.#server.on("error", (error) => this.#options.log.error({ err: error }, "the server failed"));
        resolve(this.#server.address() as AddressInfo); // a TCP server has no other kind of address
      });
    });
  }

  async close(): Promise<void> {
    this.#exchange.beginStop();
    await shutDown(this.#server, {
      connections: this.#connections,
      handshakes: this.#handshakes,
      endStreams: () => this.#exchange.endStreams(),
      timeout: this.#options.settings.limits.stopTimeout,
      log: this.#options.log,
    });
    clearInterval(this.#idleTimer);
    this.#server.close(); // ends the timer that checks connections
  }

  readonly #onConnection = (socket: Socket): void => {
    const { requestTimeout } = this.#options.settings.limits;
    this.#handshakes.delete(peerOf(socket));
    const connection = new NodeConnection(socket, requestTimeout);
    this.#connections.set(socket, connection);
    socket.on("close", () => {
      this.#connections.delete(socket);
      this.#options.unread.forget(socket);
      connection.incoming?.breakBody(new HttpError(400, "Bad Request"));
      connection.incoming?.clientLeft();
    });
    socket.on("end", () => {
      connection.incoming?.clientLeft();
      // a client that closed its sending side may be gone: without a timeout, a socket that is never written to stays open
      socket.setTimeout(requestTimeout);
      // the parser reports a body that was cut off, but not that of an upgrade request
      if (connection.upgrade?.complete === false) this.#onClientError(new Error("the body was cut off"), socket);
    });
  };

  /** Until the handshake is done, only this map knows the socket: node makes another one for the encrypted connection. */
  readonly #onHandshake = (socket: Socket): void => {
    const peer = peerOf(socket);
    this.#handshakes.set(peer, socket);
    socket.once("close", () => this.#handshakes.delete(peer));
  };

  #onRequest(req: IncomingMessage, res: ServerResponse, expects: boolean): void {
    const connection = this.#connections.get(req.socket) as NodeConnection; // made before the parser of the socket was
    const { unread, settings } = this.#options;
    const message = new NodeMessage(req, res, { expects, unread, keepAlive: settings.limits.keepAlive });
    connection.requests++;
    if (connection.finished) this.#exchangeOne(connection, message, req);
    else connection.enqueue(() => this.#exchangeOne(connection, message, req));
  }

  #exchangeOne(connection: NodeConnection, message: NodeMessage, req: IncomingMessage): void {
    if (connection.closing) return;
    connection.message = message;
    if (connection.upgrade === req) connection.closeAfterResponse();
    const incoming = this.#exchange.admit(connection, message);
    if (incoming !== undefined) this.#exchange.handle(connection, message, incoming);
  }

  /**
   * An upgrade that no one takes is handled as plain HTTP. The parser drops what follows it in the same packet, so it
   * is the last.
   */
  readonly #acceptsUpgrade = (req: IncomingMessage): boolean => {
    const connection = this.#connections.get(req.socket) as NodeConnection; // made before the parser of the socket was
    const { "content-length": length = "0", "transfer-encoding": coding } = req.headers;
    const isAlone = connection.finished && length === "0" && coding === undefined;
    connection.isForHandler = isAlone && this.#exchange.acceptsUpgrade(req as RequestHead); // a server's request has a method and a URL
    const isForRoute = isAlone && req.httpVersion === "1.1" && isWebSocket(req);
    const isTaken = connection.isForHandler || isForRoute;
    if (!isTaken) connection.upgrade = req;
    return isTaken;
  };

  /** Node has detached its parser and made no response. A refusal needs one, and so does a route that does not upgrade. */
  readonly #onUpgrade = (req: IncomingMessage, _: Duplex, buffered: Buffer): void => {
    const connection = this.#connections.get(req.socket) as NodeConnection; // made before the parser of the socket was
    const { unread, settings } = this.#options;
    const res = createResponse(req);
    res.assignSocket(req.socket);
    const { keepAlive } = settings.limits;
    const message = new NodeMessage(req, res, { expects: false, unread, keepAlive, early: buffered });
    connection.message = message;
    connection.requests++;
    const incoming = this.#exchange.admit(connection, message);
    if (incoming !== undefined && connection.isForHandler) {
      res.detachSocket(req.socket);
      this.#exchange.upgrade(message, incoming, buffered);
      return;
    }
    message.once("finish", () => connection.linger());
    connection.closing = true;
    if (incoming !== undefined) this.#exchange.handle(connection, message, incoming);
  };

  /** The parser failed, or a request took too long. */
  readonly #onClientError = (error: Error, duplex: Duplex): void => {
    const socket = duplex as Socket; // of a TCP or TLS server, always
    const connection = this.#connections.get(socket);
    if (socket.writableEnded) return; // it lingers: the response is out, and the client has its time to read it
    if (connection === undefined || codeOf(error) === "ECONNRESET" || !socket.writable) {
      socket.destroy(); // a failed handshake, or a client that disconnected
      return;
    }
    const status = statusOfParserError(error, this.#options.settings.limits);
    if (!connection.finished || codeOf(error) === "HPE_CLOSED_CONNECTION") {
      // complete requests before it get their responses first; what follows `Connection: close` gets none
      connection.endInput(new HttpError(status, STATUS_CODES[status] as string)); // each of its statuses has a name
    } else if (connection.message?.complete === false) {
      socket.destroy(); // the rest of a request that has its response: a second one would be read as that of the next
    } else {
      this.#options.log.info({ status, reason: codeOf(error) }, "refused");
      connection.closing = true;
      if (status === 408) connection.timedOut();
      socket.write(toRawResponse(status, this.#options.settings.errors));
      connection.linger();
    }
  };

  /** Closes a socket that is idle, stalled or lingers for too long, but not one whose handler is running. */
  readonly #onTimeout = (socket: Socket): void => {
    const working = this.#connections.get(socket)?.finished === false && socket.writableLength === 0;
    if (!working || socket.readableEnded) socket.destroy();
  };
}

function isWebSocket({ headers, method }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
