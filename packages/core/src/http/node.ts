import type { Server } from "node:http";
import type { ServerOptions as TlsOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { HttpError } from "../errors.ts";
import type { Kernel } from "../kernel.ts";
import type { Log } from "../log.ts";
import type { Outgoing } from "../pipeline/outgoing.ts";
import { createServer, createTlsServer, STATUS_CODES } from "./builtin.ts";
import { Connection } from "./connection.ts";
import { drain } from "./drain.ts";
import { badTarget, inspect, isRefusal } from "./inspect.ts";
import { NodeIncoming } from "./node-incoming.ts";
import { NodeRequest } from "./node-request.ts";
import { closeReply, NodeResponse } from "./node-response.ts";
import { codeOf, statusOfParserError } from "./parser-error.ts";
import { ProxyTrust } from "./proxy.ts";
import { pump } from "./pump.ts";
import { type Refusal, toErrorBody } from "./refusal.ts";
import { discard, toLength } from "./reply-head.ts";
import type { HttpLimits, HttpSettings } from "./settings.ts";
import type { Unread } from "./unread.ts";
import { Writer } from "./write.ts";

export interface TlsSettings extends Pick<TlsOptions, "key" | "cert" | "ca" | "pfx" | "passphrase" | "minVersion"> {}

/** node:http behind our own door: refuses what it lets through, and stops without losing a request. */
export class NodeServer {
  readonly #server: Server<typeof NodeRequest, typeof NodeResponse>;
  readonly #kernel: Pick<Kernel, "handle">;
  readonly #log: Log;
  readonly #limits: HttpLimits;
  readonly #unread: Unread;
  readonly #trust: ProxyTrust;
  readonly #writer: Writer;
  readonly #connections = new Map<Duplex, Connection>();
  readonly #handshakes = new Map<string, Socket>();
  readonly #eventStreams = new Set<() => void>();
  readonly #idleTimer: NodeJS.Timeout;
  #draining = false;

  constructor(
    kernel: Pick<Kernel, "handle">,
    { log, unread }: { readonly log: Log; readonly unread: Unread },
    settings: HttpSettings,
    tls?: TlsSettings,
  ) {
    this.#kernel = kernel;
    this.#log = log;
    this.#limits = settings.limits;
    this.#unread = unread;
    this.#trust = new ProxyTrust(settings.trustedProxies);
    const { uri, headerBytes, headerTimeout, requestTimeout, keepAlive } = settings.limits;
    this.#writer = new Writer({ unread, keepAlive });
    const headersTimeout = Math.min(headerTimeout, requestTimeout); // node refuses the longer one
    const options = {
      IncomingMessage: NodeRequest,
      ServerResponse: NodeResponse,
      // the parser's own limit covers request line and headers together; the door counts them apart
      maxHeaderSize: uri + headerBytes + 1024,
      headersTimeout,
      requestTimeout,
      keepAliveTimeout: 0, // the idle timer below does it, without a timer for each request
      connectionsCheckingInterval: Math.min(250, headersTimeout), // how late a timeout may fire
      requireHostHeader: false, // answered by the door, with a body like every other refusal
      optimizeEmptyRequests: true, // a request without a body has no stream to keep up
      shouldUpgradeCallback: this.#refuseUpgrade,
    };
    this.#server =
      tls === undefined
        ? createServer(options)
        : createTlsServer({ ...options, handshakeTimeout: headerTimeout, ...tls });
    this.#server.maxHeadersCount = 0; // node would drop the surplus silently; the door counts and refuses
    // without it, a client that closes its sending side after the request gets no answer
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#server
      .on("request", this.#onRequest)
      .on("checkContinue", this.#onExpect)
      .on("checkExpectation", this.#onExpect)
      .on("clientError", this.#onClientError)
      .on("timeout", this.#onTimeout);
    const checkEvery = Math.min(1000, keepAlive);
    this.#idleTimer = setInterval(() => {
      for (const connection of this.#connections.values()) connection.checkIdle(Math.ceil(keepAlive / checkEvery));
    }, checkEvery).unref();
    if (tls === undefined) this.#server.on("connection", this.#onConnection);
    else this.#server.on("connection", this.#onHandshake).on("secureConnection", this.#onConnection);
  }

  listen(port: number, host: string): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ port, host }, () => {
        this.#server.off("error", reject);
        this.#server.on("error", (error) => this.#log.error({ err: error }, "the server failed"));
        resolve(this.#server.address() as AddressInfo); // a TCP server has no other kind of address
      });
    });
  }

  async close(): Promise<void> {
    this.#draining = true;
    await drain(this.#server, {
      connections: this.#connections,
      handshakes: this.#handshakes,
      endStreams: () => this.#endEventStreams(),
      timeout: this.#limits.stopTimeout,
      log: this.#log,
    });
    clearInterval(this.#idleTimer);
    this.#server.close(); // ends the timer that checks connections
  }

  readonly #onConnection = (socket: Socket): void => {
    this.#handshakes.delete(peerOf(socket));
    const connection = new Connection(socket, this.#limits.requestTimeout);
    this.#connections.set(socket, connection);
    socket.once("close", () => {
      this.#connections.delete(socket);
      this.#unread.forget(socket);
      closeReply(socket);
    });
    socket.once("end", () => {
      // a client may be gone though it only closed its sending side: what is never written to would stay open for ever
      socket.setTimeout(this.#limits.requestTimeout);
      // the parser reports a body that was cut off, but not that of a request for another protocol
      if (connection.upgrade?.complete === false) this.#onClientError(new Error("the body was cut off"), socket);
    });
  };

  /** Until the handshake is done, only this map knows the socket; node keeps it apart from the encrypted one. */
  readonly #onHandshake = (socket: Socket): void => {
    const peer = peerOf(socket);
    this.#handshakes.set(peer, socket);
    socket.once("close", () => this.#handshakes.delete(peer));
  };

  /** Answered as plain HTTP. The parser throws away what one packet holds behind such a request, so it is the last. */
  readonly #refuseUpgrade = (req: NodeRequest): boolean => {
    const connection = this.#connections.get(req.socket);
    if (connection !== undefined) connection.upgrade = req;
    return false;
  };

  readonly #onRequest = (req: NodeRequest, res: NodeResponse): void => this.#admit(req, res, false);

  readonly #onExpect = (req: NodeRequest, res: NodeResponse): void => this.#admit(req, res, true);

  #admit(req: NodeRequest, res: NodeResponse, expects: boolean): void {
    const connection = this.#connections.get(req.socket) as Connection; // made before the parser of the socket was
    connection.requests++;
    if (connection.answered) this.#exchange(connection, req, res, expects);
    else connection.enqueue(() => this.#exchange(connection, req, res, expects));
  }

  #exchange(connection: Connection, req: NodeRequest, res: NodeResponse, expects: boolean): void {
    if (connection.closing) return;
    connection.res = res;
    connection.incoming = undefined;
    if (connection.upgrade === req) connection.closeAfterReply();
    const head = inspect(req, this.#limits, connection.host);
    if (isRefusal(head)) {
      this.#refuse(connection, req, res, head);
      return;
    }
    if (expects && req.headers.expect?.toLowerCase() !== "100-continue") {
      this.#refuse(connection, req, res, { status: 417, reason: "Expect" });
      return;
    }
    connection.host = head.host || undefined; // an empty one is refused where it must be there
    const incoming = new NodeIncoming(req, res, head, this.#trust, expects);
    connection.incoming = incoming;
    if (connection.broken !== undefined) incoming.breakBody(connection.broken);
    const outgoing = this.#kernel.handle(incoming);
    if (outgoing instanceof Promise) void outgoing.then((ready) => this.#write(connection, res, incoming, ready));
    else this.#write(connection, res, incoming, outgoing);
  }

  #write(connection: Connection, res: NodeResponse, incoming: NodeIncoming, outgoing: Outgoing): void {
    if (incoming.timedOut) connection.timedOut();
    if (outgoing.closes || incoming.leavesTooMuch(this.#limits.body)) connection.closeAfterReply();
    else if (!connection.hasWaiting && (this.#draining || connection.broken !== undefined)) connection.closing = true;
    const head = incoming.method === "HEAD";
    try {
      const stream = this.#writer.write(res, outgoing, head, connection.closing);
      if (stream !== undefined) this.#pump(res, incoming, outgoing, stream);
    } catch (error) {
      this.#log.error({ err: error }, `${incoming.method} ${incoming.path}: the reply could not be written`);
      discard(outgoing.body);
      if (res.headersSent) res.destroy();
      else sendError(connection, res, 500, head);
    }
  }

  #pump(res: NodeResponse, incoming: NodeIncoming, outgoing: Outgoing, stream: AsyncIterator<unknown>): void {
    void pump(res, stream, toLength(outgoing.headers.header("content-length")), {
      eventStream: outgoing.type.startsWith("text/event-stream"),
      unread: this.#unread,
      endings: this.#eventStreams,
      onEarlyEnd: () => incoming.abort(),
      onError: (error) => this.#log.error({ err: error }, `${incoming.method} ${incoming.path}: the stream failed`),
    });
    if (this.#draining) this.#endEventStreams(); // one that opens after the others were ended
  }

  #endEventStreams(): void {
    for (const end of this.#eventStreams) end();
  }

  #refuse(connection: Connection, req: NodeRequest, res: NodeResponse, refusal: Refusal): void {
    const asksForAll = refusal.reason === badTarget && req.method === "OPTIONS" && req.url === "*";
    if (!asksForAll) this.#log.info({ status: refusal.status, reason: refusal.reason }, "refused");
    sendError(connection, res, asksForAll ? 204 : refusal.status, req.method === "HEAD");
  }

  /** The parser gave up, or time ran out. */
  readonly #onClientError = (error: Error, duplex: Duplex): void => {
    const socket = duplex as Socket; // of a TCP or TLS server, always
    const connection = this.#connections.get(socket);
    if (socket.writableEnded) return; // it lingers: nothing more is said, and the client has its time
    if (connection === undefined || codeOf(error) === "ECONNRESET" || !socket.writable) {
      socket.destroy(); // a failed handshake, or a client that is gone
      return;
    }
    const status = statusOfParserError(error, this.#limits);
    if (!connection.answered || codeOf(error) === "HPE_CLOSED_CONNECTION") {
      // what came whole before it is answered first; what comes behind `Connection: close` is not answered at all
      connection.endInput(new HttpError(status, STATUS_CODES[status] as string)); // each of its statuses has a name
    } else if (connection.res?.req.complete === false) {
      socket.destroy(); // the rest of an answered request: a second answer would be taken for the next one's
    } else {
      this.#log.info({ status, reason: codeOf(error) }, "refused");
      connection.closing = true;
      if (status === 408) connection.timedOut();
      socket.write(toRawReply(status));
      connection.linger();
    }
  };

  /** Idle, stalled or lingering for too long. A handler at work is none of these, though its socket is silent. */
  readonly #onTimeout = (socket: Socket): void => {
    const working = this.#connections.get(socket)?.answered === false && socket.writableLength === 0;
    if (!working || socket.readableEnded) socket.destroy();
  };
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}

function sendError(connection: Connection, res: NodeResponse, status: number, head: boolean): void {
  connection.closeAfterReply();
  const body = status === 204 ? "" : toErrorBody(status);
  const type = { "content-type": "application/json; charset=utf-8", "content-length": Buffer.byteLength(body) };
  res.writeHead(status, { ...(body === "" ? {} : type), connection: "close" });
  res.end(head ? undefined : body);
}

function toRawReply(status: number): string {
  const body = toErrorBody(status);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
}
