import type { Socket } from "node:net";
import { toBodyError, tooLarge } from "../../body/body-error.ts";
import { BodyQueue } from "../../body/body-queue.ts";
import { BodyReader, refuseBody } from "../../body/body-reader.ts";
import { boundedChunks } from "../../body/bounded-chunks.ts";
import { findHeader, type Inspected, type RequestHead, toHeaderMap } from "../inspect.ts";
import { toCanonicalAddress } from "../ip-range.ts";
import type { Peer } from "../proxy.ts";
import type { ByteTarget } from "../pump.ts";
import type { HeaderValue, ResponseTarget } from "../write.ts";
import type { BodySink } from "./body.ts";
import type { WireHead } from "./head.ts";
import type { Input } from "./input.ts";
import type { Lifetime } from "./lifetime.ts";

const maxStored = 64 * 1024;
/** About what a part takes besides its bytes. */
const perPart = 128;
/** Bytes of a chunk that are copied next to its length, because one write costs less than three. */
const maxCopied = 4096;
const lineEnd = Buffer.from("\r\n");

const notInspected: Inspected = { path: "", search: "", host: "", contentLength: undefined, chunked: false };

/** A request that the wire engine has read, as the context sees it, and its response. */
export class WireMessage implements RequestHead, BodySink, ResponseTarget, ByteTarget {
  method: string;
  readonly url: string;
  readonly httpVersion: string;
  rawHeaders: readonly string[];
  readonly expect: string | undefined;
  readonly socket: Socket;
  readonly input: Input;
  readonly lifetime: Lifetime;
  /** Set when the request is accepted. */
  inspected = notInspected;
  /** Whether the whole request has arrived. */
  complete = true;
  headersSent = false;
  /** Whether the system has all bytes of the response. */
  finished = false;
  /** The client, with what trusted proxies say about it. */
  #client: Peer | undefined;
  #controller: AbortController | undefined;
  #reader: BodyReader | BodyQueue | undefined;
  #broken: Error | undefined;
  /** Bytes that have arrived before the handler reads the body. */
  #stored: Buffer[] = [];
  #storedBytes = 0;
  /** The head of a response that has begun, until it is written. */
  #head = "";
  #isChunked = false;
  #isDetached = false;

  constructor(lifetime: Lifetime, input: Input, head: WireHead) {
    this.method = head.method;
    this.url = head.url;
    this.httpVersion = head.httpVersion;
    this.rawHeaders = head.rawHeaders;
    this.expect = head.httpVersion === "1.1" ? head.expect : undefined;
    this.socket = lifetime.socket;
    this.input = input;
    this.lifetime = lifetime;
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
      else if (this.#isDetached) this.#watchSocket();
    }
    return this.#controller.signal;
  }

  /** The response was ended early. */
  abort(): void {
    this.#controller?.abort(new Error("the client went away"));
  }

  /** The connection no longer tells when its client leaves. */
  #watchSocket(): void {
    this.socket.once("close", () => this.abort());
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
    const { contentLength, chunked } = this.inspected;
    if (!chunked && (contentLength ?? 0) === 0) return new Uint8Array();
    if (contentLength !== undefined && contentLength > limit) return refuseBody(tooLarge());
    if (this.#broken !== undefined) return refuseBody(this.#broken);
    const stored = this.#stored.splice(0);
    this.#writeContinue();
    if (this.complete && !chunked) return stored.length === 1 ? (stored[0] as Buffer) : Buffer.concat(stored);
    const reader = new BodyReader(contentLength ?? limit, timeout, this.lifetime.parts.bodies);
    this.#reader = reader;
    for (const bytes of stored) reader.push(bytes);
    if (this.complete) reader.end();
    else this.input.resume();
    return reader.result;
  }

  #writeContinue(): void {
    if (this.expect !== undefined && !this.headersSent) this.socket.write("HTTP/1.1 100 Continue\r\n\r\n", "latin1");
  }

  streamBody(limit: number, timeout: number): AsyncIterable<Uint8Array> {
    const { contentLength: declared, chunked } = this.inspected;
    const queue = new BodyQueue(() => this.input.resume());
    this.#reader = queue;
    if (this.#broken !== undefined) queue.fail(this.#broken);
    for (const bytes of this.#stored.splice(0)) queue.push(bytes);
    if (this.complete) queue.end();
    else if (chunked || Number(declared) <= limit) {
      this.lifetime.deadline = 0; // each chunk has a timeout of its own
      this.input.resume();
      this.#writeContinue();
    }
    return boundedChunks(queue, { declared, limit, timeout });
  }

  /** The handler has responded. */
  releaseBody(): void {
    this.#reader?.release();
    if (this.#reader?.timedOut === true) this.lifetime.timedOut();
  }

  /** The rest of the body will not arrive, or is malformed. */
  breakBody(status: number): void {
    if (this.complete) return; // the bytes after the body are broken, not the body
    this.#broken = toBodyError(status);
    this.#reader?.fail(this.#broken);
  }

  /** During a stop: fails a body of which no byte has arrived since the last call. */
  giveUpStalledBody(): void {
    if (this.#reader?.isStalled() === true) this.#reader.fail(toBodyError(503, "The server is stopping."));
  }

  /** Whether the body was not read, so that the connection should carry no other request. */
  leavesTooMuch(limit: number): boolean {
    if (this.#reader !== undefined) return !this.#reader.complete;
    if (this.inspected.chunked) return true; // it has no length that says how much is left
    if (this.complete) return false;
    const isBroken = this.#broken !== undefined || this.expect !== undefined;
    return isBroken || (this.inspected.contentLength ?? 0) > limit;
  }

  #resolveClient(): Peer {
    const protocol = "encrypted" in this.socket ? "https" : "http";
    const connected = { address: this.peer, protocol, host: this.inspected.host };
    this.#client ??= this.lifetime.parts.trust.resolve(connected, (name) => this.header(name));
    return this.#client;
  }

  takeBody(bytes: Buffer): void {
    if (this.#reader !== undefined) {
      if (!this.#reader.push(bytes)) this.socket.pause(); // it was refused, so the connection will close
    } else if (!this.headersSent) {
      // a small part would keep the whole packet in memory
      this.#stored.push(2 * bytes.length < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes);
      this.#storedBytes += bytes.length + perPart;
      if (this.#storedBytes >= maxStored) this.socket.pause();
    }
  }

  /** The whole body has arrived. */
  endBody(): void {
    this.complete = true;
    this.#reader?.end();
  }

  get isHead(): boolean {
    return this.method === "HEAD";
  }

  get destroyed(): boolean {
    return this.socket.destroyed || !this.socket.writable;
  }

  send(status: number, headers: HeaderValue[], body: string | Uint8Array | null, close: boolean): void {
    const { socket } = this;
    if (close) this.lifetime.closing = true;
    const head = this.lifetime.parts.heads.toText(status, headers, close, false);
    this.headersSent = true;
    if (body === null) socket.write(head, "latin1");
    else if (typeof body === "string" && Number(headers.at(-1)) === body.length) socket.write(head + body, "latin1");
    else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body);
      socket.uncork();
    }
    this.lifetime.responded();
  }

  begin(status: number, headers: HeaderValue[], close: boolean): void {
    const isDelimited = headers.at(-2) === "content-length";
    this.#isChunked = !isDelimited && this.httpVersion === "1.1";
    this.rawHeaders = this.rawHeaders.slice(); // a list that has grown has room for more: a stream may be open for long
    if (!isDelimited && !this.#isChunked) this.lifetime.closing = true; // its end is the end of the body
    this.#head = this.lifetime.parts.heads.toText(status, headers, close || this.lifetime.closing, this.#isChunked);
    this.headersSent = true;
  }

  flushHeaders(): void {
    if (this.#head !== "") this.socket.write(this.#head, "latin1");
    this.#head = "";
  }

  write(bytes: Uint8Array): boolean {
    const { socket } = this;
    if (bytes.byteLength === 0) return true; // an empty chunk would be the last
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
    socket.cork();
    this.flushHeaders();
    if (this.#isChunked) socket.write("0\r\n\r\n", "latin1");
    socket.uncork();
    this.lifetime.responded();
  }

  /**
   * Detaches the engine from the socket of a request that asks for another protocol, and returns the bytes that have
   * arrived after it. Undefined when this request cannot be upgraded.
   */
  detach(): Uint8Array | undefined {
    const early = this.socket.readableEnded ? undefined : this.input.endUpgrade();
    if (early === undefined) return undefined;
    this.lifetime.detach();
    this.#isDetached = true;
    if (this.#controller !== undefined) this.#watchSocket();
    return early;
  }
}
