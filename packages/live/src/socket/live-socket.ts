import type { Writable } from "node:stream";
import type { Context } from "@tenon/core";
import type { Returned } from "@tenon/core/internal";
import { logError } from "@tenon/core/internal";
import { type Closing, closings } from "../connections.ts";
import type { LiveRoute } from "../live-route.ts";
import type { IncomingMessages, Messages, Syntax } from "../messages.ts";
import { TopicConnection } from "../topic-connection.ts";
import { Inbox } from "./inbox.ts";
import { MessageRate } from "./message-rate.ts";
import { SocketOutbox } from "./socket-outbox.ts";
import type { WsSocket } from "./ws-socket.ts";

/** What the sockets of a route have in common. */
export interface SocketRoute {
  readonly live: LiveRoute;
  readonly receives: IncomingMessages;
  readonly onMessage: (request: SocketRequest, socket: LiveSocket, name: string, data: unknown) => unknown;
  readonly onClose: (request: SocketRequest, socket: LiveSocket, closing: Closing) => unknown;
}

/** The request of a socket, and the controller whose handler it is for. */
export interface SocketRequest {
  readonly ctx: Context;
  readonly self: unknown;
}

/** A socket of `ws`, which is `this` in its listeners. */
interface OwnedSocket extends WsSocket {
  readonly owner: LiveSocket;
}

/** Milliseconds that a socket may be prepared before its connection is there. */
const attachTimeout = 10_000;
/** Milliseconds that a client has to respond to a close frame. */
const closeTimeout = 2000;
/** The same for one that reads slowly: it has much to read before the close frame, which has the reason. */
export const slowCloseTimeout = 15_000;

/** The messages of a socket. Neither names nor ids have characters that JSON escapes. */
export const socketSyntax: Syntax = {
  head: (id) => (id === undefined ? "{" : `{"id":"${id}",`),
  body: (name, json) => `"event":"${name}","data":${json}}`,
  position: (id) => `{"id":"${id}"}`,
};

/**
 * A WebSocket of a live route. What is sent before the upgrade waits for it; after it, the bytes that wait for the
 * client are limited, and a client that reads too slowly is disconnected.
 */
export class LiveSocket<Sends extends Messages = Messages> extends TopicConnection<SocketOutbox> {
  readonly kind = "socket";
  readonly #route: SocketRoute;
  readonly #request: SocketRequest;
  #socket: WsSocket | undefined;
  /** From the first message on; most clients only receive. */
  #inbox: Inbox | undefined;
  #rate: MessageRate | undefined;
  /** How it was ended. */
  #closing: Closing | undefined;
  #isInside = false;
  #isAlive = true;
  /** When a message was seen that has not arrived in full; undefined for none. */
  #unfinishedAt: number | undefined;

  constructor(route: SocketRoute, request: SocketRequest) {
    super(request.ctx, route.live, (onSlow) => new SocketOutbox(route.live.limits.pendingBytes, onSlow));
    this.#route = route;
    this.#request = request;
  }

  /** Sends a message. Throws InvalidMessage when the data does not match its schema. */
  send<Name extends keyof Sends & string>(name: Name, data: Returned<Sends[Name]>): void {
    this.push(() => this.#route.live.messages.encode(name, data));
  }

  /** 1000 is a normal end; codes of an application are from 4000 to 4399. A reason is cut after 123 bytes. */
  close(code = 1000, reason = ""): void {
    if (!isCloseCode(code)) throw new RangeError(`close(): a server may not send the code ${code}. Use 4000 to 4399.`);
    this.end({ code, reason });
  }

  /** The request is upgraded. `connection` is what the socket writes to, for messages that are not compressed. */
  attach(socket: WsSocket, connection?: Writable): void {
    this.#socket = socket;
    const { message, ping, pong, close } = LiveSocket.#listeners;
    const owned: OwnedSocket = Object.assign(socket, { owner: this });
    owned
      .on("message", message)
      .on("ping", ping) // `ws` answers each with a pong, which waits for the client to read it
      .on("pong", pong)
      .on("error", limitClose) // `close` follows, with the code that the client gets
      .on("close", close);
    this.outbox.attach(socket, connection);
    if (!this.isOpen) this.#finish(this.#closing ?? closings.stopping);
  }

  /** For all sockets: functions of its own would take memory for each. */
  static readonly #listeners = {
    message(this: OwnedSocket, data: Buffer, isBinary: boolean): void {
      this.owner.#receive(data, isBinary);
    },
    ping(this: OwnedSocket): void {
      this.owner.#allow(Date.now());
    },
    pong(this: OwnedSocket): void {
      const { owner } = this;
      if (owner.#isAlive) owner.#allow(Date.now()); // no ping was sent
      owner.#isAlive = true;
    },
    close(this: OwnedSocket, code: number, reason: Buffer): void {
      this.owner.#closed({ code, reason: reason.toString() });
    },
  };

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
    // no message is being compressed or inflated, and the next one needs nothing of the one before
    if (this.#socket.bufferedAmount === 0 && !isUnfinished(this.#socket)) {
      this.#socket._extensions["permessage-deflate"]?.cleanup();
    }
  }

  check(now: number): void {
    const { idle, messageTimeout } = this.#route.live.limits;
    if (this.#socket === undefined || !isUnfinished(this.#socket)) this.#unfinishedAt = undefined;
    else this.#unfinishedAt ??= now;
    if (this.#unfinishedAt !== undefined && now - this.#unfinishedAt >= messageTimeout) this.end(closings.unfinished);
    const silence = now - this.outbox.activeAt;
    if (this.#socket === undefined && silence > attachTimeout) this.discard();
    else if (idle > 0 && silence > idle) this.end(closings.silent);
  }

  end(closing: Closing): void {
    if (this.isOpen) {
      if (closing === closings.slow) this.#route.live.connections.count("slowClients");
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
    this.leave();
    this.outbox.end();
    this.#inbox?.clear(); // what waits would be handled for a session that has ended
  }

  #closed(closing: Closing): void {
    this.#leave();
    if (!this.#isInside) return;
    this.#isInside = false;
    // a client that does not answer the server's close frame would hide why the server has closed
    const known = this.#closing ?? closing;
    Promise.try(() => this.#route.onClose(this.#request, this, known)).catch((error: unknown) =>
      logError(this.#request.ctx, error),
    );
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (!this.isOpen || this.#socket === undefined) return;
    const now = Date.now();
    this.outbox.activeAt = now;
    this.#unfinishedAt = undefined;
    this.#isAlive = true;
    if (isBinary) this.end(closings.binary);
    else if (this.#allow(now)) {
      this.#inbox ??= this.#createInbox(this.#socket);
      this.#inbox.take(data.toString());
    }
  }

  #createInbox(socket: WsSocket): Inbox {
    const { receives, live, onMessage } = this.#route;
    return new Inbox({
      receives,
      connections: live.connections,
      ctx: this.#request.ctx,
      onMessage: (name, data) => onMessage(this.#request, this, name, data),
      socket,
      outbox: this.outbox,
    });
  }

  /** Ends the socket when its client sends too much. */
  #allow(now: number): boolean {
    if (!this.isOpen) return false;
    this.#rate ??= new MessageRate(this.#route.live.limits.messagesPerSecond, now);
    const isAllowed = this.#rate.take(now);
    if (!isAllowed) this.end(closings.tooMany);
    return isAllowed;
  }
}

/** Whether a part of a message has arrived. A socket that is paused does not read the rest. */
function isUnfinished({ isPaused, _receiver: { _bufferedBytes, _fragmented, _state } }: WsSocket): boolean {
  return !isPaused && (_bufferedBytes > 0 || _fragmented !== 0 || _state !== 0);
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
