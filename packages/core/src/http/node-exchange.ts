import type { Duplex } from "node:stream";
import { discard } from "../body/stream.ts";
import type { Outgoing } from "../reply.ts";
import type { Connection } from "./connection.ts";
import type { EngineOptions } from "./engine.ts";
import { badTarget, inspect, isRefusal } from "./inspect.ts";
import { NodeIncoming } from "./node-incoming.ts";
import type { NodeRequest, NodeResponse } from "./node-message.ts";
import { ProxyTrust } from "./proxy.ts";
import { pump } from "./pump.ts";
import { type Refusal, toErrorBody } from "./refusal.ts";
import { toLength, Writer } from "./write.ts";

/** The requests of a node:http server: inspection → kernel → response, one after the other on each connection. */
export class NodeExchange {
  readonly connections = new Map<Duplex, Connection>();
  readonly #options: EngineOptions;
  readonly #trust: ProxyTrust;
  readonly #writer: Writer;
  readonly #eventStreams = new Set<() => void>();
  #draining = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { limits, trustedProxies } = options.settings;
    this.#trust = new ProxyTrust(trustedProxies);
    this.#writer = new Writer({ unread: options.unread, keepAlive: limits.keepAlive });
  }

  /** From now on every response closes its connection. */
  beginStop(): void {
    this.#draining = true;
  }

  endEventStreams(): void {
    for (const end of this.#eventStreams) end();
  }

  readonly onRequest = (req: NodeRequest, res: NodeResponse): void => this.#admit(req, res, false);

  readonly onExpect = (req: NodeRequest, res: NodeResponse): void => this.#admit(req, res, true);

  #admit(req: NodeRequest, res: NodeResponse, expects: boolean): void {
    const connection = this.connections.get(req.socket) as Connection; // made before the parser of the socket was
    connection.requests++;
    if (connection.finished) this.#exchange(connection, req, res, expects);
    else connection.enqueue(() => this.#exchange(connection, req, res, expects));
  }

  #exchange(connection: Connection, req: NodeRequest, res: NodeResponse, expects: boolean): void {
    if (connection.closing) return;
    connection.res = res;
    connection.incoming = undefined;
    if (connection.upgrade === req) connection.closeAfterResponse();
    const head = inspect(req, this.#options.settings, connection.host);
    if (isRefusal(head)) {
      this.#refuse(connection, req, res, head);
      return;
    }
    if (expects && req.headers.expect?.toLowerCase() !== "100-continue") {
      this.#refuse(connection, req, res, { status: 417, reason: "Expect" });
      return;
    }
    connection.host = head.host || undefined; // HTTP/1.0 requests may have none
    const incoming = new NodeIncoming(req, res, head, this.#trust, expects);
    connection.incoming = incoming;
    if (connection.broken !== undefined) incoming.breakBody(connection.broken);
    const outgoing = this.#options.handler.handle(incoming);
    if (outgoing instanceof Promise) void outgoing.then((ready) => this.#write(connection, res, incoming, ready));
    else this.#write(connection, res, incoming, outgoing);
  }

  #write(connection: Connection, res: NodeResponse, incoming: NodeIncoming, outgoing: Outgoing): void {
    const { limits } = this.#options.settings;
    if (incoming.timedOut) connection.timedOut();
    if (outgoing.closes || incoming.leavesTooMuch(limits.body)) connection.closeAfterResponse();
    else if (!connection.hasWaiting && (this.#draining || connection.broken !== undefined)) connection.closing = true;
    const head = incoming.method === "HEAD";
    try {
      const stream = this.#writer.write(res, outgoing, head, connection.closing);
      if (stream !== undefined) this.#pump(res, incoming, outgoing, stream);
    } catch (error) {
      this.#logError(error, incoming, "the response could not be written");
      discard(outgoing.body);
      if (res.headersSent) res.destroy();
      else sendError(connection, res, 500, head);
    }
  }

  #pump(res: NodeResponse, incoming: NodeIncoming, outgoing: Outgoing, stream: AsyncIterator<unknown>): void {
    void pump(res, stream, toLength(outgoing.headers.header("content-length")), {
      eventStream: outgoing.type.startsWith("text/event-stream"),
      unread: this.#options.unread,
      endings: this.#eventStreams,
      onEarlyEnd: () => incoming.abort(),
      onError: (error) => this.#logError(error, incoming, "the stream failed"),
    });
    if (this.#draining) this.endEventStreams(); // one that opens after the others were ended
  }

  #logError(error: unknown, { method, path }: NodeIncoming, text: string): void {
    this.#options.log.error({ err: error }, `${method} ${path}: ${text}`);
  }

  #refuse(connection: Connection, req: NodeRequest, res: NodeResponse, refusal: Refusal): void {
    const isServerOptions = refusal.reason === badTarget && req.method === "OPTIONS" && req.url === "*";
    if (!isServerOptions) this.#options.log.info({ status: refusal.status, reason: refusal.reason }, "refused");
    sendError(connection, res, isServerOptions ? 204 : refusal.status, req.method === "HEAD");
  }
}

function sendError(connection: Connection, res: NodeResponse, status: number, head: boolean): void {
  connection.closeAfterResponse();
  const body = status === 204 ? "" : toErrorBody(status);
  const type = { "content-type": "application/json; charset=utf-8", "content-length": Buffer.byteLength(body) };
  res.writeHead(status, { ...(body === "" ? {} : type), connection: "close" });
  res.end(head ? undefined : body);
}
