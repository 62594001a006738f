import type { Socket } from "node:net";
import { tooLarge } from "../body/bounded-chunks.ts";
import { refuseBody } from "../body/incoming-body.ts";
import type { HeaderValue, Outgoing } from "../handler.ts";
import { findHeader, toHeaderMap } from "../request/header-list.ts";
import type { Inspected } from "../request/inspect.ts";
import { toCanonicalAddress } from "../request/ip-range.ts";
import type { Peer } from "../request/proxy.ts";
import type { Message } from "../response/exchange.ts";
import type { WireHead } from "./request-head.ts";
import { WireBody } from "./wire-body.ts";
import type { WireSocket } from "./wire-socket.ts";

/** Bytes of a chunk that are copied next to its length, because one write costs less than three. */
const maxCopied = 4096;
const lineEnd = Buffer.from("\r\n");

const nothing = new Uint8Array();
const notInspected: Inspected = { path: "", search: "", host: "", contentLength: undefined, chunked: false };

/** A request that the wire engine has read, as the context sees it, and its response. */
export class WireMessage implements Message {
  method: string;
  readonly url: string;
  readonly httpVersion: string;
  rawHeaders: readonly string[];
  readonly expect: string | undefined;
  readonly socket: Socket;
  readonly wire: WireSocket;
  /** Set when the request is accepted. */
  inspected = notInspected;
  /** A body that has arrived with the head. */
  arrived: Uint8Array = nothing;
  /** Any other body. */
  body: WireBody | undefined;
  /** Whether the system has all bytes of the response. */
  finished = false;
  /** The client, with what trusted proxies say about it. */
  #client: Peer | undefined;
  #controller: AbortController | undefined;
  /** The head of a response that has begun, until it is written. */
  #head = "";
  #isChunked = false;
  #isDetached = false;

  constructor(wire: WireSocket, head: WireHead) {
    this.method = head.method;
    this.url = head.url;
    this.httpVersion = head.httpVersion;
    this.rawHeaders = head.rawHeaders;
    this.expect = head.httpVersion === "1.1" ? head.expect : undefined;
    this.socket = wire.socket;
    this.wire = wire;
  }

  get path(): string {
    return this.inspected.path;
  }
  get search(): string {
    return this.inspected.search;
  }
  get address(): string {
    return this.#resolveClient().address;
  }
  get peer(): string {
    return toCanonicalAddress(this.socket.remoteAddress);
  }
  get protocol(): string {
    return this.#resolveClient().protocol;
  }
  get host(): string {
    return this.#resolveClient().host;
  }

  /** Aborted by a half-close too: a client that only closed its sending side still gets a response, if there is one. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.socket.destroyed || this.socket.readableEnded) this.clientLeft();
      else if (this.#isDetached) this.socket.once("close", () => this.abort()); // the connection does not tell any more
    }
    return this.#controller.signal;
  }

  /** The response was ended early. */
  abort(): void {
    this.#controller?.abort(new Error("the client went away"));
  }

  /** The client has left. A response that is already sent is not affected. */
  clientLeft(): void {
    if (!this.finished) this.abort();
  }

  header(name: string): string | undefined {
    return findHeader(this.rawHeaders, name);
  }

  headers(): Record<string, string> {
    return toHeaderMap(this.rawHeaders);
  }

  readBody(limit: number, timeout: number): Uint8Array | Promise<Uint8Array> {
    if (this.body !== undefined) return this.body.read(limit, timeout);
    const { byteLength } = this.arrived;
    if (byteLength > limit) return refuseBody(this.wire.parts.exchange.options.toBodyError(413, tooLarge));
    if (byteLength > 0) this.wire.allowBody(this.expect);
    return this.arrived;
  }

  streamBody(limit: number, timeout: number): AsyncIterable<Uint8Array> {
    this.body ??= WireBody.arrived(this.wire, this.arrived);
    return this.body.stream(limit, timeout);
  }

  closesAfter(outgoing: Outgoing, stopping: boolean): boolean {
    const { wire } = this;
    if (outgoing.closes || this.body?.leavesTooMuch() === true) wire.closing = true;
    else if ((stopping || wire.broken) && !wire.hasWaiting) wire.closing = true;
    return wire.closing;
  }

  #resolveClient(): Peer {
    this.#client ??= this.wire.parts.exchange.trust.clientOf(this);
    return this.#client;
  }

  get destroyed(): boolean {
    return this.socket.destroyed || !this.socket.writable;
  }

  send(status: number, headers: HeaderValue[], body: string | Uint8Array | null, close: boolean): void {
    const { socket } = this;
    if (close) this.wire.closing = true;
    this.body?.release();
    const head = this.wire.parts.heads.toText(status, headers, close, false);
    this.wire.headersSent = true;
    if (body === null) socket.write(head, "latin1");
    else if (typeof body === "string" && Number(headers.at(-1)) === body.length) socket.write(head + body, "latin1");
    else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body);
      socket.uncork();
    }
    this.wire.responded();
  }

  begin(status: number, headers: HeaderValue[], close: boolean): void {
    const isDelimited = headers.at(-2) === "content-length";
    this.#isChunked = !isDelimited && this.httpVersion === "1.1";
    this.rawHeaders = this.rawHeaders.slice(); // a list that has grown has room for more: a stream may be open for long
    if (!isDelimited && !this.#isChunked) this.wire.closing = true; // its end is the end of the body
    this.#head = this.wire.parts.heads.toText(status, headers, close || this.wire.closing, this.#isChunked);
    this.wire.headersSent = true;
  }

  flushHeaders(): void {
    if (this.#head !== "") this.socket.write(this.#head, "latin1");
    this.#head = "";
  }

  write(bytes: Uint8Array): boolean {
    const { socket } = this;
    if (bytes.byteLength === 0) {
      this.flushHeaders(); // as a chunk it would be the last
      return true;
    }
    const size = Buffer.from(`${bytes.byteLength.toString(16)}\r\n`); // the chunks of RFC 9112, 7.1
    if (this.#isChunked && this.#head === "" && bytes.byteLength <= maxCopied) {
      socket.write(Buffer.concat([size, bytes, lineEnd]));
      return !socket.writableNeedDrain;
    }
    socket.cork();
    this.flushHeaders();
    if (this.#isChunked) socket.write(size);
    socket.write(bytes);
    if (this.#isChunked) socket.write(lineEnd);
    socket.uncork();
    return !socket.writableNeedDrain;
  }

  end(): void {
    const { socket } = this;
    if (this.body?.leavesTooMuch() === true) this.wire.closing = true; // it was read while the response was written
    this.body?.release();
    socket.cork();
    this.flushHeaders();
    if (this.#isChunked) socket.write("0\r\n\r\n", "latin1");
    socket.uncork();
    this.wire.responded();
  }

  /**
   * Detaches the engine from the socket of a request that asks for another protocol, and returns the bytes that have
   * arrived after it. Undefined when this request cannot be upgraded.
   */
  detach(): Uint8Array | undefined {
    const early = this.socket.readableEnded ? undefined : this.wire.endUpgrade();
    if (early === undefined) return undefined;
    this.wire.detach();
    this.#isDetached = true;
    if (this.#controller !== undefined) this.socket.once("close", () => this.abort());
    return early;
  }
}
