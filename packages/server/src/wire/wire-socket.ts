import type { Socket } from "node:net";
import type { ServerLimits } from "../request/limits.ts";
import type { Exchange } from "../response/exchange.ts";
import type { ResponseHeads } from "../response/response-head.ts";
import type { BodyDecoder, BodySink } from "./body-decoder.ts";
import { headTotal, WireHead } from "./request-head.ts";

/** Bytes of later requests that are kept while one is handled. */
const maxPending = 64 * 1024;
const nothing: Buffer = Buffer.alloc(0);
/** Milliseconds of silence after which a refused client counts as done sending. */
const silence = 2000;
/** Milliseconds that a client has to read a 408. Its time to send is over. */
const afterTimeout = 250;

/** What the connections of a server share. */
export interface WireParts {
  readonly exchange: Exchange;
  readonly connections: Pick<Map<Socket, unknown>, "delete">;
  readonly heads: ResponseHeads;
  /** Milliseconds since the start, as of the last sweep: precise enough for timeouts, and free. */
  readonly clock: { now: number; readonly every: number };
}

/** What a connection does about its socket. */
export interface SocketEvents {
  readonly onData: (chunk: Buffer) => void;
  readonly onEnd: () => void;
  readonly onClose: () => void;
  /** The system has all bytes of a response. */
  readonly onFlushed: () => void;
}

/** A socket: what has arrived and is not handled yet, until when its client must act, and how it closes. */
export class WireSocket {
  readonly socket: Socket;
  readonly parts: WireParts;
  /** The current response is the last: what follows is dropped. */
  closing = false;
  /** Nothing more is read. Complete requests still get responses. */
  broken = false;
  /** Whether the head of the current response was written. */
  headersSent = false;
  /** When to give up what the client should do next, by the clock of the server; 0 while nothing is expected of it. */
  deadline = 0;
  /** Until when input is dropped after the last response; 0 before. */
  lingersUntil = 0;
  #patience: number;
  readonly #events: SocketEvents;
  readonly #limits: ServerLimits;
  /** The bytes from `#at` on are not read yet. */
  #bytes = nothing;
  #at = 0;
  /** The part of the bytes that was converted to text, for the heads in it, and where it begins and ends. */
  #text = "";
  #textStart = 0;
  #textEnd = 0;
  /** The head of the request that is arriving. */
  #head: WireHead | undefined;
  /** A request asks for another protocol: what follows it is kept until its response is written. */
  #isUpgrade = false;

  constructor(socket: Socket, parts: WireParts, events: SocketEvents) {
    this.socket = socket;
    this.parts = parts;
    this.#events = events;
    this.#limits = parts.exchange.options.limits;
    this.#patience = this.#limits.requestTimeout;
    socket.on("data", events.onData).on("end", events.onEnd).on("close", events.onClose);
    socket.on("timeout", destroy).on("error", ignore); // `close` follows
  }

  /** The time in so many milliseconds, never too early. */
  in(milliseconds: number): number {
    const { now, every } = this.parts.clock;
    return now + every + milliseconds;
  }

  /** A request timed out: its client gets no more time to send bytes slowly. */
  timedOut(): void {
    this.#patience = Math.min(afterTimeout, this.#patience);
  }

  /** Answers `Expect: 100-continue`, unless the response has begun. */
  allowBody(expect: string | undefined): void {
    if (expect !== undefined && !this.headersSent) this.socket.write("HTTP/1.1 100 Continue\r\n\r\n", "latin1");
  }

  /** The response is written. */
  responded(): void {
    const { socket } = this;
    const { slowClients } = this.parts.exchange;
    if (socket.writableLength === 0) {
      this.#events.onFlushed();
      return;
    }
    slowClients.hold(socket, socket.writableLength);
    socket.write("", () => {
      slowClients.release(socket);
      if (!socket.destroyed) this.#events.onFlushed();
    });
  }

  /**
   * Closing a socket while the client still sends makes its system discard the response that it has not read yet.
   * So the write side closes first, and input is dropped until the client stops or its time is over.
   */
  linger(): void {
    this.lingersUntil = this.in(this.#patience);
    this.waitForSilence();
    this.socket.end();
    this.socket.resume();
  }

  waitForSilence(): void {
    this.deadline = Math.min(this.lingersUntil, this.in(silence));
  }

  /** Leaves the socket to another protocol. */
  detach(): void {
    const { onData, onEnd, onClose } = this.#events;
    this.parts.connections.delete(this.socket);
    this.socket
      .off("data", onData)
      .off("end", onEnd)
      .off("close", onClose)
      .off("timeout", destroy)
      .off("error", ignore);
  }

  get size(): number {
    return this.#bytes.length - this.#at;
  }

  /** Whether a request was read of the bytes that have arrived together. */
  get begun(): boolean {
    return this.#at > 0;
  }

  /** Whether complete requests wait for the current one. */
  get hasWaiting(): boolean {
    return this.#bytes.includes("\r\n\r\n", this.#at);
  }

  add(chunk: Buffer): void {
    this.#bytes = this.size === 0 ? chunk : Buffer.concat([this.#bytes.subarray(this.#at), chunk]);
    this.#at = 0;
    this.#textEnd = 0;
  }

  pauseWhenFull(): void {
    if (this.size >= maxPending) this.socket.pause();
  }

  resume(): void {
    if (this.socket.isPaused() && this.size < maxPending) this.socket.resume();
  }

  /** Forgets what was not read, so that an idle connection keeps no memory for it. */
  drop(): void {
    if (this.#isUpgrade) return;
    this.#bytes = nothing;
    this.#at = 0;
    this.#text = "";
    this.#textEnd = 0;
  }

  /** The next head, as far as it has arrived. */
  readHead(): WireHead {
    this.#head ??= new WireHead();
    const head = this.#head;
    if (this.#at < this.#textEnd) this.#readText(head);
    // the text of the heads before it may end in the middle of this one
    if (!head.done && head.rejected === undefined && this.#textEnd < this.#bytes.length) {
      this.#textStart = this.#at;
      this.#textEnd = Math.min(this.#bytes.length, this.#at + headTotal(this.#limits) + 1);
      this.#text = this.#bytes.toString("latin1", this.#at, this.#textEnd);
      this.#readText(head);
    }
    if (head.done) this.#head = undefined;
    return head;
  }

  #readText(head: WireHead): void {
    this.#at = this.#textStart + head.read(this.#text, this.#at - this.#textStart, this.#limits);
  }

  /** Whether a head has begun to arrive. Blank lines before it do not count. */
  get hasHead(): boolean {
    const rest = this.#text.slice(this.#at - this.#textStart);
    return this.#head?.begun === true || (rest !== "" && rest !== "\r");
  }

  /** So many bytes, which have arrived. */
  take(length: number): Buffer {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  readBody(body: BodyDecoder, sink: BodySink): void {
    this.#at = body.push(this.#bytes, this.#at, sink);
  }

  beginUpgrade(): void {
    this.#isUpgrade = true;
  }

  /** Takes what arrives after the last request: it is dropped, unless it belongs to another protocol. */
  addLast(chunk: Buffer): void {
    if (this.#isUpgrade) this.add(chunk);
    if (this.size > maxPending) this.endUpgrade();
  }

  /** The bytes that belong to the other protocol. Undefined when the socket cannot be taken over. */
  endUpgrade(): Buffer | undefined {
    const early = this.#isUpgrade ? this.#bytes.subarray(this.#at) : undefined;
    this.#isUpgrade = false;
    this.drop();
    return early;
  }
}

/** A response is not read, or the client has closed its sending side: only then there is a timeout. */
function destroy(this: Socket): void {
  this.destroy();
}

function ignore(): void {}
