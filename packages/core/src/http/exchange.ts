import type { Socket } from "node:net";
import { discard, isStream } from "../body/stream.ts";
import type { ErrorFormat } from "../error-format.ts";
import type { HttpError } from "../errors.ts";
import type { Outgoing } from "../reply.ts";
import type { Upgrade } from "../upgrade.ts";
import type { EngineOptions } from "./engine.ts";
import { badTarget, inspect, isRefusal } from "./inspect.ts";
import type { Message, RequestHead, RequestMessage } from "./message.ts";
import { ProxyTrust } from "./proxy.ts";
import { pump } from "./pump.ts";
import { type Refusal, toErrorBody } from "./refusal.ts";
import { SocketIncoming } from "./socket-incoming.ts";
import { toLength, writeResponse } from "./write.ts";

/** A socket and its requests, handled one after the other. */
export interface Connection {
  readonly socket: Socket;
  /** The request being handled; undefined for a refused one. */
  incoming: SocketIncoming | undefined;
  /** The host of the last accepted request. */
  host: string | undefined;
  /** The current response is the last: what follows is dropped. */
  closing: boolean;
  /** Why nothing more is read. Complete requests still get responses. */
  readonly broken: HttpError | undefined;
  /** No request is being handled or waits. */
  readonly finished: boolean;
  /** No request for about a second, or none at all. */
  readonly idle: boolean;
  /** Whether the head of the current response is written. */
  readonly headersSent: boolean;
  /** Whether complete requests wait for the current one. */
  readonly hasWaiting: boolean;
  /** Closes the connection after the current response, though the client may still be sending. */
  closeAfterResponse(): void;
  /** A request timed out: its client gets no more time to send bytes slowly. */
  timedOut(): void;
}

/** What all engines do with a request: inspection → kernel → response. */
export class Exchange {
  readonly #options: EngineOptions;
  readonly #trust: ProxyTrust;
  /** End event streams and connections of other protocols. */
  readonly #endings = new Set<() => void>();
  #stopping = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#trust = new ProxyTrust(options.settings.trustedProxies);
  }

  /** From now on every response closes its connection. */
  beginStop(): void {
    this.#stopping = true;
  }

  endStreams(): void {
    for (const end of this.#endings) end();
  }

  /** Undefined when the request was refused: then the response is written. */
  admit(connection: Connection, message: Message): SocketIncoming | undefined {
    connection.incoming = undefined;
    const head = inspect(message, this.#options.settings, connection.host);
    if (isRefusal(head)) {
      this.#refuse(connection, message, head);
      return undefined;
    }
    if (message.expect !== undefined && message.expect.toLowerCase() !== "100-continue") {
      this.#refuse(connection, message, { status: 417, reason: "Expect" });
      return undefined;
    }
    connection.host = head.host || undefined; // HTTP/1.0 requests may have none
    const incoming = new SocketIncoming(message, head, this.#trust);
    connection.incoming = incoming;
    return incoming;
  }

  handle(connection: Connection, message: Message, incoming: SocketIncoming): void {
    if (connection.broken !== undefined) incoming.breakBody(connection.broken);
    const outgoing = this.#options.handler.handle(incoming);
    if (outgoing instanceof Promise) void outgoing.then((ready) => this.#write(connection, message, incoming, ready));
    else this.#write(connection, message, incoming, outgoing);
  }

  /** Whether an upgrade has a handler. Without one the request is handled as plain HTTP. */
  acceptsUpgrade(head: RequestHead): boolean {
    if (this.#stopping || head.httpVersion !== "1.1") return false; // HTTP/1.0 has no upgrades
    try {
      return this.#options.settings.upgrade?.accepts(head) === true;
    } catch (error) {
      this.#options.log.error({ err: error }, "accepts() of the upgrade handler failed");
      return false;
    }
  }

  /** Hands a connection over to the handler that has accepted its upgrade. */
  upgrade(message: RequestMessage, incoming: SocketIncoming, buffered: Uint8Array): void {
    const { upgrade } = this.#options.settings;
    this.#handOver(message, incoming, () => upgrade?.take(incoming, message.socket, buffered) as () => void); // it has accepted
  }

  /** `take` gets the socket and returns what ends its protocol. */
  #handOver({ socket }: RequestMessage, incoming: SocketIncoming, take: () => () => void): void {
    try {
      const end = take();
      this.#endings.add(end);
      socket.on("close", () => this.#endings.delete(end));
      if (this.#stopping) end(); // the others were ended before
    } catch (error) {
      this.#logError(error, incoming, "the upgrade failed");
      socket.on("error", () => {}).destroy();
    }
  }

  /** A route has replied with an upgrade. */
  #takeOver(connection: Connection, message: Message, incoming: SocketIncoming, outgoing: Outgoing): void {
    const upgrade = outgoing.body as Upgrade; // the body of this status
    const buffered = message.destroyed ? undefined : message.detach();
    if (buffered !== undefined) {
      const headers = [...(outgoing.extraHeaders() ?? [])];
      this.#handOver(message, incoming, () => upgrade.take(message.socket, buffered, headers));
      return;
    }
    upgrade.discard();
    if (!message.destroyed) sendError(connection, message, 426, this.#options.settings.errors, upgrade.protocol);
  }

  #write(connection: Connection, message: Message, incoming: SocketIncoming, outgoing: Outgoing): void {
    if (outgoing.status === 101) {
      this.#takeOver(connection, message, incoming, outgoing);
      return;
    }
    const { settings, unread } = this.#options;
    if (incoming.timedOut) connection.timedOut();
    if (outgoing.closes || incoming.leavesTooMuch(settings.limits.body)) connection.closeAfterResponse();
    else if ((this.#stopping || connection.broken !== undefined) && !connection.hasWaiting) connection.closing = true;
    const isHead = message.method === "HEAD";
    try {
      const stream = writeResponse(message, outgoing, { isHead, close: connection.closing, unread });
      if (stream !== undefined) this.#pump(message, incoming, outgoing, stream);
    } catch (error) {
      this.#logError(error, incoming, "the response could not be written");
      discard(outgoing.body);
      if (message.headersSent) message.destroy();
      else sendError(connection, message, 500, this.#options.settings.errors);
    }
  }

  #pump(message: Message, incoming: SocketIncoming, outgoing: Outgoing, stream: AsyncIterator<unknown>): void {
    const declared = isStream(outgoing.body) ? toLength(outgoing.headers.header("content-length")) : undefined;
    void pump(message, stream, declared, {
      eventStream: outgoing.type.startsWith("text/event-stream"),
      unread: this.#options.unread,
      endings: this.#endings,
      onEarlyEnd: () => incoming.abort(),
      onError: (error) => this.#logError(error, incoming, "the stream failed"),
    });
    if (this.#stopping) this.endStreams(); // one that opens after the others were ended
  }

  #logError(error: unknown, { method, path }: SocketIncoming, text: string): void {
    this.#options.log.error({ err: error }, `${method} ${path}: ${text}`);
  }

  #refuse(connection: Connection, message: Message, refusal: Refusal): void {
    const isServerOptions = refusal.reason === badTarget && message.method === "OPTIONS" && message.url === "*";
    if (!isServerOptions) this.#options.log.info({ status: refusal.status, reason: refusal.reason }, "refused");
    sendError(connection, message, isServerOptions ? 204 : refusal.status, this.#options.settings.errors);
  }
}

function sendError(
  connection: Connection,
  message: Message,
  status: number,
  format: ErrorFormat,
  protocol?: string,
): void {
  connection.closeAfterResponse();
  const body = status === 204 ? "" : toErrorBody(status, format);
  const wanted = protocol === undefined ? [] : ["upgrade", protocol];
  const type = [...wanted, "content-type", format.type, "content-length", String(Buffer.byteLength(body))];
  message.send(status, body === "" ? [] : type, message.method === "HEAD" ? null : body, true);
}
