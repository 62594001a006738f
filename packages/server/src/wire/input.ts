import type { Socket } from "node:net";
import type { ServerLimits } from "../request/limits.ts";
import type { BodyDecoder, BodySink } from "./body-decoder.ts";
import { headTotal, WireHead } from "./request-head.ts";

/** Bytes of later requests that are kept while one is handled. */
const maxPending = 64 * 1024;
const nothing: Buffer = Buffer.alloc(0);

/** What has arrived on a socket and is not handled yet. */
export class Input {
  readonly #socket: Socket;
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

  constructor(socket: Socket, limits: ServerLimits) {
    this.#socket = socket;
    this.#limits = limits;
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
    if (this.size >= maxPending) this.#socket.pause();
  }

  resume(): void {
    if (this.#socket.isPaused() && this.size < maxPending) this.#socket.resume();
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
