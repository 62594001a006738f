import type { Writable } from "node:stream";
import type { Context, Lease, Returned } from "@tenon/core";
import { leasesOf, logError } from "@tenon/core/platform";
import type { Sink, Subscriber } from "./channels/subscriber.ts";
import { type Closing, closings, type LiveConnection, type LiveConnections } from "./connections.ts";
import { Inbox } from "./inbox.ts";
import { lastEventIdOf } from "./last-event-id.ts";
import { MessageRate } from "./message-rate.ts";
import { type IncomingMessages, InvalidMessage, type Messages, type OutgoingMessages } from "./messages.ts";
import type { SocketLimits } from "./settings.ts";
import { SocketOutbox } from "./socket-outbox.ts";
import { TextFrame } from "./text-frame.ts";
import { type TopicFormat, TopicList } from "./topic-list.ts";
import type { WsSocket } from "./ws-socket.ts";

/** What the sockets of a route have in common. */
export interface SocketRoute {
  readonly sends: OutgoingMessages<TextFrame>;
  readonly receives: IncomingMessages;
  readonly connections: LiveConnections;
  readonly format: TopicFormat<TextFrame>;
  readonly limits: Required<SocketLimits>;
  readonly onMessage: (request: SocketRequest, socket: LiveSocket, name: string, data: unknown) => unknown;
  readonly onClose: (request: SocketRequest, socket: LiveSocket, closing: Closing) => unknown;
}

/** The request of a socket, and the controller whose handler it is for. */
export interface SocketRequest {
  readonly ctx: Context;
  readonly self: unknown;
}

/** Milliseconds that a socket may be prepared before its connection is there. */
const attachTimeout = 10_000;
/** Milliseconds that a client has to respond to a close frame. */
const closeTimeout = 2000;
/** The same for one that reads slowly: it has much to read before the close frame, which has the reason. */
export const slowCloseTimeout = 15_000;

/** A message of a socket. Names of messages have no characters that JSON escapes. */
export function toMessage(name: string, json: string, id?: string): TextFrame {
  return new TextFrame(`{${id === undefined ? "" : `"id":"${id}",`}"event":"${name}","data":${json}}`);
}

export function toPositionMessage(id: string): TextFrame {
  return new TextFrame(JSON.stringify({ id }));
}

/**
 * A WebSocket of a live route. What is sent before the upgrade waits for it; after it, the bytes that wait for the
 * client are limited, and a client that reads too slowly is disconnected.
 */
export class LiveSocket<Sends extends Messages = Messages> implements LiveConnection, Subscriber {
  readonly kind = "socket";
  /** Of the last event that the client got on an earlier connection; "" for a new client. */
  readonly lastEventId: string;
  readonly leases: readonly Lease[];
  readonly #route: SocketRoute;
  readonly #request: SocketRequest;
  readonly #outbox: SocketOutbox;
  readonly #topics: TopicList<TextFrame>;
  #socket: WsSocket | undefined;
  /** From the first message on; most clients only receive. */
  #inbox: Inbox | undefined;
  #rate: MessageRate | undefined;
  /** How it was ended. */
  #closing: Closing | undefined;
  #isInside = false;
  #isEnded = false;
  #isAlive = true;

  constructor(route: SocketRoute, request: SocketRequest) {
    this.#route = route;
    this.#request = request;
    this.lastEventId = lastEventIdOf(request.ctx);
    this.leases = leasesOf(request.ctx);
    this.#outbox = new SocketOutbox(route.limits.pendingBytes, this);
    this.#topics = new TopicList(this.lastEventId, this.#outbox, route.format);
  }

  /** Sends a message. Throws InvalidMessage when the data does not match its schema. */
  send<Name extends keyof Sends & string>(name: Name, data: Returned<Sends[Name]>): void {
    const { sends, connections } = this.#route;
    try {
      this.#outbox.push(sends.encode(name, data));
    } catch (error) {
      if (error instanceof InvalidMessage) connections.count("unsentMessages");
      throw error;
    }
  }

  /** 1000 is a normal end; codes of an application are from 4000 to 4399. A reason is cut after 123 bytes. */
  close(code = 1000, reason = ""): void {
    if (!isCloseCode(code))
      throw new RangeError(`close(): ${code} is no code that a server may send. Use 4000 to 4399.`);
    this.end({ code, reason });
  }

  get isOpen(): boolean {
    return !this.#isEnded;
  }

  join(topic: string): Sink {
    return this.#topics.join(topic);
  }

  onClose(end: () => void): void {
    this.#topics.onClose(end);
  }

  /** The request is upgraded. `connection` is what the socket writes to, for messages that are not compressed. */
  attach(socket: WsSocket, connection?: Writable): void {
    this.#socket = socket;
    socket
      .on("message", (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary))
      .on("ping", () => this.#allow(Date.now())) // `ws` answers each with a pong, which waits for the client to read it
      .on("pong", () => {
        if (this.#isAlive) this.#allow(Date.now()); // no ping was sent
        this.#isAlive = true;
      })
      .on("error", limitClose) // `close` follows, with the code that the client gets
      .on("close", (code: number, reason: Buffer) => this.#closed({ code, reason: reason.toString() }));
    this.#outbox.attach(socket, connection);
    if (this.#isEnded) this.#finish(this.#closing ?? closings.stopping);
  }

  /** Its handler `open` has succeeded: from here on `close` is called at the end, whatever happens. */
  enter(): void {
    this.#isInside = true;
  }

  /** The connection is not upgraded. */
  discard(): void {
    this.#closed({ code: 1006, reason: "" });
  }

  beat(): void {
    if (this.#socket === undefined) return;
    if (!this.#isAlive) this.#socket.terminate(); // no pong since the last ping
    this.#isAlive = this.#socket.isPaused; // its pong would not be read
    this.#socket.ping();
  }

  check(now: number): void {
    const { idle } = this.#route.limits;
    const silence = now - this.#outbox.activeAt;
    if (this.#socket === undefined && silence > attachTimeout) this.discard();
    else if (idle > 0 && silence > idle) this.end(closings.silent);
  }

  end(closing: Closing): void {
    if (!this.#isEnded) {
      if (closing === closings.slow) this.#route.connections.count("slowClients");
      this.#closing = closing;
      this.#leave();
      this.#finish(closing);
    } else if (closing === closings.stopping && this.#socket !== undefined) {
      limitClose.call(this.#socket); // a stop does not wait for slow clients
    }
  }

  #finish(closing: Closing): void {
    if (this.#socket === undefined) return;
    this.#socket.close(closing.code, toCloseReason(closing.reason));
    if (closing !== closings.slow) limitClose.call(this.#socket);
    if (this.#socket.isPaused) this.#socket.resume(); // the client's close frame must be read
  }

  #leave(): void {
    this.#isEnded = true;
    this.#topics.close();
    this.#route.connections.remove(this);
    this.#outbox.end();
    this.#inbox?.clear(); // what waits would be handled for a session that has ended
  }

  #closed(closing: Closing): void {
    this.#leave();
    if (!this.#isInside) return;
    this.#isInside = false;
    Promise.try(() => this.#route.onClose(this.#request, this, closing)).catch((error: unknown) =>
      logError(this.#request.ctx, error),
    );
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#isEnded || this.#socket === undefined) return;
    const now = Date.now();
    this.#outbox.activeAt = now;
    this.#isAlive = true;
    if (isBinary) this.end(closings.binary);
    else if (this.#allow(now)) {
      this.#inbox ??= this.#createInbox(this.#socket);
      this.#inbox.take(data.toString());
    }
  }

  #createInbox(socket: WsSocket): Inbox {
    const { receives, connections, onMessage } = this.#route;
    return new Inbox({
      receives,
      connections,
      ctx: this.#request.ctx,
      onMessage: (name, data) => onMessage(this.#request, this, name, data),
      socket,
      outbox: this.#outbox,
    });
  }

  /** Ends the socket when its client sends too much. */
  #allow(now: number): boolean {
    if (this.#isEnded) return false;
    this.#rate ??= new MessageRate(this.#route.limits.messagesPerSecond, now);
    const isAllowed = this.#rate.take(now);
    if (!isAllowed) this.end(closings.tooMany);
    return isAllowed;
  }
}

/** RFC 6455, 7.4: 1004 to 1006 are never sent, 1015 neither; `ws` throws for all others. */
function isCloseCode(code: number): boolean {
  const isProtocol = code >= 1000 && code <= 1014 && (code < 1004 || code > 1006);
  return Number.isInteger(code) && (isProtocol || (code >= 3000 && code <= 4999));
}

/** A close frame has room for 123 bytes (RFC 6455, 5.5); `ws` throws for more, and the socket would stay open. */
function toCloseReason(reason: string): string {
  return reason.slice(0, new TextEncoder().encodeInto(reason, new Uint8Array(123)).read);
}

/** One function for all sockets: most of them never need it. */
function limitClose(this: WsSocket): void {
  setTimeout(() => this.terminate(), closeTimeout).unref();
}
