import type { Socket } from "node:net";
import { HttpError } from "../../support/errors.ts";
import { STATUS_CODES } from "../builtin.ts";
import type { EngineOptions } from "../engine.ts";
import { type RejectedRequest, toRawResponse } from "../inspect.ts";
import { keepAliveMargin } from "../settings.ts";
import { type BodyDecoder, ChunkDecoder, LengthDecoder } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import { type HeadLimits, WireHead } from "./head.ts";
import { type MessageOwner, type MessageParts, WireMessage } from "./message.ts";

/** Bytes of later requests that are kept while one is handled. */
const maxPending = 64 * 1024;
/** Milliseconds of silence after which a refused client counts as done sending. */
const silence = 2000;
/** Milliseconds that a client has to read a 408. Its time to send is over. */
const afterTimeout = 250;
const nothing: Buffer = Buffer.alloc(0);

/** What the connections of a server share. */
export interface WireParts extends EngineOptions, MessageParts {
  readonly exchange: Exchange;
  /** The open ones. */
  readonly connections: Map<Socket, WireConnection>;
  readonly headLimits: HeadLimits;
  /** Milliseconds since the start, as of the last sweep: precise enough for timeouts, and free. */
  readonly clock: { now: number; readonly every: number };
}

/** A socket of the wire engine: bytes in, one request at a time, bytes out. */
export class WireConnection implements MessageOwner {
  readonly socket: Socket;
  readonly parts: WireParts;
  closing = false;
  broken: HttpError | undefined;
  /** When to give up what the client should do next, by the clock of the server; 0 while nothing is expected of it. */
  deadline = 0;
  /** The head of the request that is arriving. */
  #head: WireHead | undefined;
  #message: WireMessage | undefined;
  #body: BodyDecoder | undefined;
  /** What has arrived; the bytes from `#at` on are not read yet. */
  #input: Buffer = nothing;
  #at = 0;
  /** The part of the input that was converted to text, for the heads in it, and where it begins and ends. */
  #text = "";
  #textStart = 0;
  #textEnd = 0;
  #isReading = false;
  /** Further requests have arrived, and those of other connections come first. */
  #isWaiting = false;
  /** What has arrived after a request that asks for another protocol, until its response is written. */
  #early: Buffer | undefined;
  #requests = 0;
  #idleSince = 0;
  /** When the request must have arrived. */
  #requestDeadline = 0;
  /** Until when input is dropped after the last response; 0 before. */
  #lingersUntil = 0;
  #patience: number;

  constructor(socket: Socket, parts: WireParts) {
    this.socket = socket;
    this.parts = parts;
    this.#idleSince = parts.clock.now;
    this.#patience = parts.settings.limits.requestTimeout;
    this.#expectHead();
    socket.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onClose).on("timeout", this.#onTimeout);
    socket.on("error", ignore); // `close` follows
  }

  /** The request being handled, until its response is sent and its body has arrived. */
  get message(): WireMessage | undefined {
    return this.#message;
  }

  /** No request is being handled or waits. */
  get finished(): boolean {
    return !this.#isWaiting && (this.#message === undefined || this.#message.finished);
  }

  /** No request for about a second, or none at all. */
  get idle(): boolean {
    return this.finished && this.parts.clock.now - this.#idleSince >= 1000;
  }

  /** Whether the head of the current response is written. */
  get headersSent(): boolean {
    return this.#message?.headersSent === true;
  }

  get hasWaiting(): boolean {
    return this.#input.includes("\r\n\r\n", this.#at);
  }

  timedOut(): void {
    this.#patience = Math.min(afterTimeout, this.#patience);
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    if (this.socket.isPaused() && this.#inputBytes < maxPending) this.socket.resume();
  }

  /** Called by the sweep of the server when the deadline has passed. */
  expire(): void {
    const isArriving = this.#message === undefined && (this.#requestDeadline > 0 || this.#requests === 0);
    if (this.#lingersUntil > 0) this.socket.destroy();
    else if (isArriving) this.#refuse({ status: 408, reason: "timeout" });
    else if (this.#message?.finished === false) this.#break(408);
    else this.socket.destroy();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#lingersUntil > 0) {
      this.deadline = Math.min(this.#lingersUntil, this.#in(silence));
      return;
    }
    if (this.broken !== undefined || (this.closing && this.#body === undefined)) {
      this.#keepEarly(chunk);
      return;
    }
    this.#input = this.#inputBytes === 0 ? chunk : Buffer.concat([this.#input.subarray(this.#at), chunk]);
    this.#at = 0;
    this.#textEnd = 0;
    if (!this.#isWaiting) this.#read();
    else if (this.#inputBytes >= maxPending) this.socket.pause();
  };

  get #inputBytes(): number {
    return this.#input.length - this.#at;
  }

  /** Reads as many requests as can be handled now, and keeps the rest. */
  #read(): void {
    this.#isReading = true;
    while (this.#at < this.#input.length && this.broken === undefined) {
      if (this.#body !== undefined) this.#readBody(this.#body);
      else {
        if (this.#message !== undefined || this.closing || this.#waitsForTurn()) break;
        const head = this.#readHead();
        if (head === undefined) break;
        this.#begin(head);
      }
    }
    this.#isReading = false;
    if (this.closing || this.broken !== undefined || this.#inputBytes === 0) this.#drop();
    else if (this.#inputBytes >= maxPending) this.socket.pause();
  }

  /** A client that sends many requests in one packet would delay those of others for as long as they take. */
  #waitsForTurn(): boolean {
    const { turns } = this.parts.exchange;
    if (this.#at === 0 || !turns.over) return false;
    this.#isWaiting = true;
    this.deadline = 0;
    turns.wait(this.#continue);
    return true;
  }

  readonly #continue = (): void => {
    this.#isWaiting = false;
    if (!this.socket.destroyed) this.#next();
  };

  /** Forgets the input, so that an idle connection keeps no memory for it. */
  #drop(): void {
    this.#input = nothing;
    this.#at = 0;
    this.#text = "";
    this.#textEnd = 0;
  }

  /** Undefined when the head is not complete, or was refused. */
  #readHead(): WireHead | undefined {
    this.#head ??= new WireHead();
    const head = this.#head;
    if (this.#at < this.#textEnd) this.#readText(head);
    // the text of the heads before it may end in the middle of this one
    if (!head.done && head.rejected === undefined && this.#textEnd < this.#input.length) {
      this.#textStart = this.#at;
      this.#textEnd = Math.min(this.#input.length, this.#at + this.parts.headLimits.total + 1);
      this.#text = this.#input.toString("latin1", this.#at, this.#textEnd);
      this.#readText(head);
    }
    if (head.done) {
      this.#head = undefined;
      return head;
    }
    if (head.rejected !== undefined) this.#refuse(head.rejected);
    else {
      const rest = this.#text.slice(this.#at - this.#textStart);
      const isBlank = !head.begun && (rest === "" || rest === "\r");
      if (!isBlank && this.#requestDeadline === 0) {
        this.#requestDeadline = this.#in(this.#requestTimeout);
        if (this.#requests > 0) this.#expectHead(); // the time of the first head runs since the connection was made
      }
    }
    return undefined;
  }

  #readText(head: WireHead): void {
    this.#at = this.#textStart + head.read(this.#text, this.#at - this.#textStart, this.parts.headLimits);
  }

  /** Starts the request of a head. */
  #begin(head: WireHead): void {
    const { exchange, log } = this.parts;
    this.#requests++;
    const deadline = this.#requestDeadline || this.#in(this.#requestTimeout);
    this.#requestDeadline = 0;
    this.deadline = 0;
    if (!head.keepsAlive) this.closing = true;
    if (head.method === "CONNECT") {
      log.info({ reason: "CONNECT" }, "refused");
      this.closing = true;
      this.socket.destroy();
      return;
    }
    const message = new WireMessage(this, head);
    this.#message = message;
    if (!exchange.admit(message)) return;
    const { contentLength = 0, chunked } = message.inspected;
    const hasBody = chunked || contentLength > 0;
    if (hasBody) {
      const body = chunked ? new ChunkDecoder(this.parts.settings.limits) : new LengthDecoder(contentLength);
      this.#body = body;
      message.complete = false;
      this.deadline = deadline;
      this.#readBody(body);
    }
    if (head.upgrades) {
      this.closing = true;
      // a request with a body is never upgraded, whether or not its body has arrived
      if (!hasBody && message.httpVersion === "1.1") this.#early = this.#input.subarray(this.#at);
    }
    exchange.handle(message);
  }

  #readBody(body: BodyDecoder): void {
    const message = this.#message as WireMessage; // as long as there is a body
    this.#at = body.push(this.#input, this.#at, message);
    if (body.rejected !== undefined) this.#break(body.rejected.status);
    else if (body.done) {
      this.#body = undefined;
      this.deadline = 0;
      message.endBody();
      if (message.finished) this.#next();
    }
  }

  /** The response is written. */
  responded(): void {
    const { socket } = this;
    if (socket.writableLength === 0) {
      this.#flushed();
      return;
    }
    this.parts.pendingBytes.hold(socket, socket.writableLength);
    socket.write("", () => {
      this.parts.pendingBytes.release(socket);
      if (!socket.destroyed) this.#flushed();
    });
  }

  #flushed(): void {
    const message = this.#message as WireMessage; // the one that was responded to
    message.finished = true;
    if (this.closing || this.broken !== undefined) this.#linger();
    else if (message.complete) this.#next();
    else this.resume(); // the rest of the body is dropped
  }

  #next(): void {
    this.#message = undefined;
    this.#idleSince = this.parts.clock.now;
    this.deadline = this.#in(this.parts.settings.limits.keepAlive * keepAliveMargin);
    if (this.#isReading) return; // the loop that began this request goes on
    this.#read();
    this.resume();
    if (this.socket.readableEnded) this.#finishInput();
  }

  readonly #onEnd = (): void => {
    if (this.#lingersUntil === 0) this.#finishInput(); // else both sides are closed now
  };

  /** The client sends no more. Requests that have arrived still get their responses. */
  #finishInput(): void {
    if (this.#isWaiting) return; // it is called again in its turn
    if (this.#message !== undefined) {
      // a client that closed its sending side may be gone: without a timeout, a socket that is never written to stays open
      this.socket.setTimeout(this.#requestTimeout);
      this.#message.clientLeft();
      if (this.#body !== undefined) this.#break(400);
    } else if (this.#requestDeadline > 0) this.#refuse({ status: 400, reason: "cut off" });
    else if (this.#lingersUntil === 0) this.socket.end();
  }

  readonly #onClose = (): void => {
    this.parts.connections.delete(this.socket);
    this.parts.pendingBytes.forget(this.socket);
    this.#drop();
    this.#message?.breakBody(new HttpError(400, "Bad Request"));
    this.#message?.clientLeft();
  };

  /** A response is not read, or the client has closed its sending side: only then there is a timeout. */
  readonly #onTimeout = (): void => {
    this.socket.destroy();
  };

  /** The body is malformed, cut off or late. The handler may still respond; then the connection closes. */
  #break(status: number): void {
    this.broken = new HttpError(status, STATUS_CODES[status] as string); // each of its statuses has a name
    this.#body = undefined;
    this.deadline = 0;
    if (status === 408) this.timedOut();
    this.#message?.breakBody(this.broken);
    if (this.#message?.finished === true) this.#linger();
  }

  /** There is no request to respond to. */
  #refuse({ status, reason }: RejectedRequest): void {
    this.parts.log.info({ status, reason }, "refused");
    this.closing = true;
    if (status === 408) this.timedOut();
    this.socket.write(toRawResponse(status, this.parts.settings.errors));
    this.#linger();
  }

  /**
   * Closing a socket while the client still sends makes its system discard the response that it has not read yet.
   * So the write side closes first, and input is dropped until the client stops or its time is over.
   */
  #linger(): void {
    const { socket } = this;
    this.#drop();
    this.#early = undefined;
    this.#lingersUntil = this.#in(this.#patience);
    this.deadline = Math.min(this.#lingersUntil, this.#in(silence));
    socket.end();
    socket.resume();
  }

  detach(): Uint8Array | undefined {
    const early = this.#early;
    if (early === undefined || this.socket.readableEnded) return undefined;
    this.#early = undefined;
    this.parts.connections.delete(this.socket);
    this.socket.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onClose);
    this.socket.off("timeout", this.#onTimeout).off("error", ignore);
    return early;
  }

  /** Bytes that arrive while an upgrade is decided belong to the other protocol. */
  #keepEarly(chunk: Buffer): void {
    if (this.#early === undefined) return;
    const isTooMuch = this.#early.length + chunk.length > maxPending;
    this.#early = isTooMuch ? undefined : Buffer.concat([this.#early, chunk]);
  }

  get #requestTimeout(): number {
    return this.parts.settings.limits.requestTimeout;
  }

  #expectHead(): void {
    const { headerTimeout, requestTimeout } = this.parts.settings.limits;
    this.deadline = this.#in(Math.min(headerTimeout, requestTimeout));
  }

  /** The time in so many milliseconds, never too early. */
  #in(milliseconds: number): number {
    const { now, every } = this.parts.clock;
    return now + every + milliseconds;
  }
}

function ignore(): void {}
