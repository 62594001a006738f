import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from "node:https";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { HttpError } from "../errors.ts";
import type { Kernel } from "../kernel.ts";
import type { Log } from "../log.ts";
import type { Outgoing } from "../pipeline/outgoing.ts";
import { inspect, isRefusal } from "./inspect.ts";
import { NodeIncoming } from "./node-incoming.ts";
import { ProxyTrust } from "./proxy.ts";
import { type Refusal, toErrorBody } from "./refusal.ts";
import type { HttpLimits, HttpSettings } from "./settings.ts";
import { write } from "./write.ts";

export interface TlsSettings extends Pick<TlsOptions, "key" | "cert" | "ca" | "pfx" | "passphrase" | "minVersion"> {}

interface Exchange {
  readonly res: ServerResponse;
  readonly incoming: NodeIncoming | undefined;
}

/** node:http behind our own door: refuses what it lets through, and stops without losing a request. */
export class NodeServer {
  readonly #server: Server;
  readonly #kernel: Kernel;
  readonly #log: Log;
  readonly #limits: HttpLimits;
  readonly #trust: ProxyTrust;
  /** Every open socket with its newest exchange; pipelined replies are written in order, so the newest ends last. */
  readonly #sockets = new Map<Duplex, Exchange | undefined>();
  readonly #eventStreams = new Set<() => void>();
  #draining = false;

  constructor(kernel: Kernel, log: Log, settings: HttpSettings, tls?: TlsSettings) {
    this.#kernel = kernel;
    this.#log = log;
    this.#limits = settings.limits;
    this.#trust = new ProxyTrust(settings.trustedProxies);
    const options = {
      // the parser's own limit covers request line and headers together; the door counts them apart
      maxHeaderSize: settings.limits.uri + settings.limits.headerBytes + 1024,
      headersTimeout: settings.limits.headerTimeout,
      requestTimeout: settings.limits.requestTimeout,
      keepAliveTimeout: settings.limits.keepAlive,
      connectionsCheckingInterval: 1000,
      requireHostHeader: false, // answered by the door, with a body like every other refusal
    };
    this.#server = tls === undefined ? createServer(options) : createTlsServer({ ...options, ...tls });
    this.#server.maxHeadersCount = 0; // node would drop the surplus silently; the door counts and refuses
    this.#server
      .on("request", this.#onRequest)
      .on("checkContinue", (req, res) => this.#exchange(req, res, true))
      .on("checkExpectation", (req, res) => this.#refuse(req, res, { status: 417, reason: "Expect" }))
      .on("clientError", this.#onClientError)
      .on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
        this.#sockets.set(socket, undefined);
        socket.once("close", () => this.#sockets.delete(socket));
      });
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

  /** No new connections; what was fully sent is answered; the rest closes, at the latest when the deadline is over. */
  async close(): Promise<void> {
    this.#draining = true;
    // what has already reached this machine still counts: one turn reads and accepts what is waiting
    await turn();
    const closed = new Promise<void>((resolve) => {
      // not http's own close(): it cuts idle sockets before their waiting requests are read
      NetServer.prototype.close.call(this.#server, () => resolve());
    });
    await turn();
    for (const end of this.#eventStreams) end();
    for (const [socket, exchange] of this.#sockets) {
      if (exchange === undefined || exchange.res.writableFinished) socket.destroy();
      else exchange.res.once("close", () => socket.end());
    }
    const deadline = setTimeout(() => {
      this.#log.warn({ connections: this.#sockets.size }, "the stop took too long: open connections are cut");
      for (const socket of this.#sockets.keys()) socket.destroy();
    }, this.#limits.stopTimeout);
    await closed;
    clearTimeout(deadline);
    this.#server.close(); // ends the timer that checks connections
  }

  readonly #onRequest = (req: IncomingMessage, res: ServerResponse): void => this.#exchange(req, res, false);

  #exchange(req: IncomingMessage, res: ServerResponse, expectsContinue: boolean): void {
    const head = inspect(
      {
        method: req.method as string, // node sets method and url on every request of a server
        target: req.url as string,
        version: req.httpVersion,
        rawHeaders: req.rawHeaders,
      },
      this.#limits,
    );
    if (isRefusal(head)) {
      this.#refuse(req, res, head);
      return;
    }
    const incoming = new NodeIncoming(req, res, head, this.#trust, expectsContinue);
    this.#sockets.set(req.socket, { res, incoming });
    const outgoing = this.#kernel.handle(incoming);
    if (outgoing instanceof Promise) void outgoing.then((ready) => this.#write(req, res, incoming, ready));
    else this.#write(req, res, incoming, outgoing);
  }

  #write(req: IncomingMessage, res: ServerResponse, incoming: NodeIncoming, outgoing: Outgoing): void {
    const unread = incoming.leavesTooMuch(this.#limits.body);
    if (unread) lingerBeforeClose(req.socket);
    write(res, outgoing, {
      head: req.method === "HEAD",
      close: unread || this.#draining,
      stallTimeout: this.#limits.requestTimeout,
      onStop: (end) => {
        this.#eventStreams.add(end);
        return () => this.#eventStreams.delete(end);
      },
      onEarlyEnd: () => incoming.abort(),
      onStreamError: (error) => this.#log.error({ err: error }, `${req.method} ${incoming.path}: the stream failed`),
    });
  }

  #refuse(req: IncomingMessage, res: ServerResponse, refusal: Refusal): void {
    if (req.method === "OPTIONS" && req.url === "*" && refusal.status === 400 && refusal.reason === "request target") {
      res.writeHead(204).end();
      return;
    }
    this.#sockets.set(req.socket, { res, incoming: undefined });
    this.#log.info({ status: refusal.status, reason: refusal.reason }, "refused");
    lingerBeforeClose(req.socket);
    const body = toErrorBody(refusal.status);
    res.writeHead(refusal.status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      connection: "close",
    });
    res.end(req.method === "HEAD" ? undefined : body);
  }

  /** The parser gave up, or time ran out. */
  readonly #onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const status = statusOfParserError(error.code);
    const exchange = this.#sockets.get(socket);
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
    } else if (exchange !== undefined && !exchange.res.writableFinished) {
      // a request before this one, or this one's own body: its reply goes out first, then the connection ends
      exchange.incoming?.breakBody(new HttpError(status, STATUS_CODES[status] ?? "Bad Request"));
      if (exchange.res.headersSent) exchange.res.once("close", () => socket.destroy());
      else exchange.res.shouldKeepAlive = false;
      exchange.res.once("finish", () => socket.end());
    } else {
      this.#log.info({ status, reason: error.code ?? error.message }, "refused");
      const body = toErrorBody(status);
      socket.end(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
        () => setTimeout(() => socket.destroy(), lingerMilliseconds).unref(),
      );
    }
  };
}

const lingerMilliseconds = 500;

/**
 * Closing a socket while the client still sends makes its system throw away the reply it has not read yet.
 * So the write side closes first, what comes is read and dropped for a moment, and then the socket goes.
 */
function lingerBeforeClose(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    socket.resume();
    setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  };
}

function statusOfParserError(code: string | undefined): number {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return 431;
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return 413;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return 408;
    default:
      return 400;
  }
}
