import type { Socket } from "node:net";
import type { RejectedRequest } from "../request/inspect.ts";
import type { ServerLimits } from "../request/limits.ts";
import { type BodyDecoder, ChunkDecoder, LengthDecoder } from "./body-decoder.ts";
import { WireMessage } from "./message.ts";
import { WireHead } from "./request-head.ts";
import { WireBody } from "./wire-body.ts";
import { type SocketEvents, type WireParts, WireSocket } from "./wire-socket.ts";

/**
 * An idle connection is kept longer than its `Keep-Alive` header announces: a client that obeys the header never sends a
 * request on a connection that is being closed.
 */
const keepAliveMargin = 1.2;

export interface ConnectionParts extends WireParts {
  readonly connections: Map<Socket, WireConnection>;
}

/** A socket of the wire engine: bytes in, one request at a time, bytes out. */
export class WireConnection implements SocketEvents {
  readonly socket: Socket;
  readonly wire: WireSocket;
  readonly #parts: ConnectionParts;
  readonly #limits: ServerLimits;
  /** The request being handled, until its response is sent and its body has arrived. */
  message: WireMessage | undefined;
  #body: BodyDecoder | undefined;
  #isReading = false;
  /** Further requests have arrived, and those of other connections come first. */
  #isWaiting = false;
  #requests = 0;
  #idleSince = 0;
  /** When the request must have arrived. */
  #requestDeadline = 0;

  constructor(socket: Socket, parts: ConnectionParts) {
    this.socket = socket;
    this.#parts = parts;
    this.#limits = parts.exchange.options.limits;
    this.wire = new WireSocket(socket, parts, this);
    this.#idleSince = parts.clock.now;
    this.#expectHead();
  }

  /** No request is being handled or waits. */
  get finished(): boolean {
    return !this.#isWaiting && (this.message === undefined || this.message.finished);
  }

  /** No request for about a second, or none at all. */
  get idle(): boolean {
    return this.finished && this.#parts.clock.now - this.#idleSince >= 1000;
  }

  /** Called by the sweep of the server when the deadline has passed. */
  expire(): void {
    const isArriving = this.message === undefined && (this.#requestDeadline > 0 || this.#requests === 0);
    if (this.wire.lingersUntil > 0) this.socket.destroy();
    else if (isArriving) this.#refuse({ status: 408, reason: "timeout" });
    else if (this.message?.finished === false) this.#break(408);
    else this.socket.destroy();
  }

  readonly onData = (chunk: Buffer): void => {
    const { wire } = this;
    if (wire.lingersUntil > 0) wire.waitForSilence();
    else if (wire.broken || (wire.closing && this.#body === undefined)) wire.addLast(chunk);
    else {
      wire.add(chunk);
      if (this.#isWaiting) wire.pauseWhenFull();
      else this.#read();
    }
  };

  /** Reads as many requests as can be handled now, and keeps the rest. */
  #read(): void {
    const { wire } = this;
    this.#isReading = true;
    while (wire.size > 0 && !wire.broken) {
      if (this.#body !== undefined) this.#readBody(this.#body);
      else {
        if (this.message !== undefined || wire.closing || this.#waitsForTurn()) break;
        const head = this.#readHead();
        if (head === undefined) break;
        this.#begin(head);
      }
    }
    this.#isReading = false;
    if (wire.closing || wire.broken || wire.size === 0) wire.drop();
    else wire.pauseWhenFull();
  }

  /** A client that sends many requests in one packet would delay those of others for as long as they take. */
  #waitsForTurn(): boolean {
    const { pipelined } = this.#parts.exchange;
    if (!this.wire.begun || !pipelined.over) return false;
    this.#isWaiting = true;
    this.wire.deadline = 0;
    pipelined.wait(this.#continue);
    return true;
  }

  readonly #continue = (): void => {
    this.#isWaiting = false;
    if (!this.socket.destroyed) this.#next();
  };

  /** Undefined when the head is not complete, or was refused. */
  #readHead(): WireHead | undefined {
    const head = this.wire.readHead();
    if (head.done) return head;
    if (head.rejected !== undefined) this.#refuse(head.rejected);
    else if (this.#requestDeadline === 0 && this.wire.hasHead) {
      this.#requestDeadline = this.wire.in(this.#limits.requestTimeout);
      if (this.#requests > 0) this.#expectHead(); // the time of the first head runs since the connection was made
    }
    return undefined;
  }

  /** Starts the request of a head. */
  #begin(head: WireHead): void {
    const { wire } = this;
    const { exchange } = this.#parts;
    this.#requests++;
    const deadline = this.#requestDeadline || wire.in(this.#limits.requestTimeout);
    this.#requestDeadline = 0;
    wire.deadline = 0;
    if (!head.keepsAlive) wire.closing = true;
    if (head.method === "CONNECT") {
      exchange.options.log.info({ reason: "CONNECT" }, "refused");
      wire.closing = true;
      this.socket.destroy();
      return;
    }
    const message = new WireMessage(wire, head);
    this.message = message;
    wire.headersSent = false;
    if (!exchange.admit(message)) return;
    const { contentLength = 0, chunked } = message.inspected;
    const hasBody = chunked || contentLength > 0;
    if (!chunked && contentLength <= wire.size) message.arrived = wire.take(contentLength);
    else {
      message.body = new WireBody(wire, chunked ? undefined : contentLength, message.expect);
      this.#body = chunked ? new ChunkDecoder(this.#limits) : new LengthDecoder(contentLength);
      wire.deadline = deadline;
      this.#readBody(this.#body);
    }
    if (head.upgrades) {
      wire.closing = true;
      // a request with a body is never upgraded, whether or not its body has arrived
      if (!hasBody && message.httpVersion === "1.1") wire.beginUpgrade();
    }
    exchange.handle(message);
  }

  #readBody(decoder: BodyDecoder): void {
    const message = this.message as WireMessage; // as long as there is a body
    const body = message.body as WireBody; // likewise
    this.wire.readBody(decoder, body);
    if (decoder.rejected !== undefined) this.#break(decoder.rejected.status);
    else if (decoder.done) {
      this.#body = undefined;
      this.wire.deadline = 0;
      body.end();
      if (message.finished) this.#next();
    }
  }

  readonly onFlushed = (): void => {
    const message = this.message as WireMessage; // the one that was responded to
    message.finished = true;
    if (this.wire.closing || this.wire.broken) this.#linger();
    else if (message.body?.complete !== false) this.#next();
    else this.wire.resume(); // the rest of the body is dropped
  };

  #next(): void {
    this.message = undefined;
    this.#idleSince = this.#parts.clock.now;
    this.wire.deadline = this.wire.in(this.#limits.keepAlive * keepAliveMargin);
    if (this.#isReading) return; // the loop that began this request goes on
    this.#read();
    this.wire.resume();
    if (this.socket.readableEnded) this.onEnd();
  }

  /** The client sends no more. Requests that have arrived still get their responses. */
  readonly onEnd = (): void => {
    if (this.#isWaiting || this.wire.lingersUntil > 0) return; // it is called again in its turn, or both sides are closed now
    if (this.message !== undefined) {
      // a client that closed its sending side may be gone: without a timeout, a socket that is never written to stays open
      this.socket.setTimeout(this.#limits.requestTimeout);
      this.message.clientLeft();
      if (this.#body !== undefined) this.#break(400);
    } else if (this.#requestDeadline > 0) this.#refuse({ status: 400, reason: "cut off" });
    else this.socket.end();
  };

  readonly onClose = (): void => {
    this.#parts.connections.delete(this.socket);
    this.#parts.exchange.slowClients.forget(this.socket);
    this.wire.drop();
    this.message?.body?.break(400);
    this.message?.clientLeft();
  };

  /** The body is malformed, cut off or late. The handler may still respond; then the connection closes. */
  #break(status: number): void {
    this.wire.broken = true;
    this.#body = undefined;
    this.wire.deadline = 0;
    if (status === 408) this.wire.timedOut();
    this.message?.body?.break(status);
    this.socket.resume(); // what still arrives is dropped, and a client that leaves is noticed
    if (this.message?.finished === true) this.#linger();
  }

  /** There is no request to respond to. */
  #refuse(rejected: RejectedRequest): void {
    if (rejected.status === 408) this.wire.timedOut();
    this.message = new WireMessage(this.wire, new WireHead());
    this.#parts.exchange.refuse(this.message, rejected);
  }

  #linger(): void {
    this.wire.endUpgrade();
    this.wire.linger();
  }

  #expectHead(): void {
    const { headerTimeout, requestTimeout } = this.#limits;
    this.wire.deadline = this.wire.in(Math.min(headerTimeout, requestTimeout));
  }
}
