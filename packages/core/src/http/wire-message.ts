import type { Socket } from "node:net";
import type { BodyReader } from "../body/body-reader.ts";
import type { HeaderValue } from "../headers.ts";
import type { Message } from "./message.ts";
import type { ResponseHeads } from "./response-head.ts";
import type { BodySink } from "./wire-body.ts";
import type { WireHead } from "./wire-head.ts";

const maxStored = 64 * 1024;
/** About what a part takes besides its bytes. */
const perPart = 128;

/** Bytes of a chunk that are copied next to its length, because one write costs less than three. */
const maxCopied = 4096;

/** What a message needs of its connection. */
export interface MessageOwner {
  readonly socket: Socket;
  readonly heads: ResponseHeads;
  closing: boolean;
  /** Reads nothing for now. */
  pause(): void;
  resume(): void;
  /** The response is written. */
  responded(): void;
  /** See `Message.detach`. */
  detach(): Uint8Array | undefined;
}

/** A request that the wire engine has read, and its response. */
export class WireMessage implements Message, BodySink {
  readonly method: string;
  readonly url: string;
  readonly httpVersion: string;
  rawHeaders: readonly string[];
  readonly expect: string | undefined;
  readonly socket: Socket;
  complete = true;
  headersSent = false;
  finished = false;
  readonly #connection: MessageOwner;
  /** The head of a response that has begun, until it is written. */
  #head = "";
  #isChunked = false;
  #reader: BodyReader | undefined;
  /** Bytes that have arrived before the handler reads the body. */
  #stored: Buffer[] = [];
  #storedBytes = 0;

  constructor(connection: MessageOwner, head: WireHead) {
    this.method = head.method;
    this.url = head.url;
    this.httpVersion = head.httpVersion;
    this.rawHeaders = head.rawHeaders;
    this.expect = head.httpVersion === "1.1" ? head.expect : undefined;
    this.socket = connection.socket;
    this.#connection = connection;
  }

  readInto(reader: BodyReader): void {
    this.#reader = reader;
    for (const bytes of this.#stored.splice(0)) reader.push(bytes);
    if (this.complete) reader.end();
    else this.#connection.resume();
  }

  takeBody(bytes: Buffer): void {
    if (this.#reader !== undefined) {
      if (!this.#reader.push(bytes)) this.#connection.pause(); // it was refused, so the connection will close
    } else if (!this.headersSent) {
      // a small part would keep the whole packet in memory
      this.#stored.push(2 * bytes.length < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes);
      this.#storedBytes += bytes.length + perPart;
      if (this.#storedBytes >= maxStored) this.#connection.pause();
    }
  }

  /** The whole body has arrived. */
  endBody(): void {
    this.complete = true;
    this.#reader?.end();
  }

  sendContinue(): void {
    if (!this.headersSent) this.socket.write("HTTP/1.1 100 Continue\r\n\r\n", "latin1");
  }

  get destroyed(): boolean {
    return this.socket.destroyed || !this.socket.writable;
  }

  get writableLength(): number {
    return this.socket.writableLength;
  }

  send(status: number, headers: HeaderValue[], body: string | Uint8Array | null, close: boolean): void {
    const { socket } = this;
    const head = this.#connection.heads.toText(status, headers, close, false);
    this.headersSent = true;
    if (body === null) socket.write(head, "latin1");
    else if (typeof body === "string" && Number(headers.at(-1)) === body.length) socket.write(head + body, "latin1");
    else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body);
      socket.uncork();
    }
    this.#connection.responded();
  }

  begin(status: number, headers: HeaderValue[], close: boolean): void {
    const isDelimited = headers.at(-2) === "content-length";
    this.#isChunked = !isDelimited && this.httpVersion === "1.1";
    this.rawHeaders = this.rawHeaders.slice(); // a list that has grown has room for more: a stream may be open for long
    if (!isDelimited && !this.#isChunked) this.#connection.closing = true; // its end is the end of the body
    this.#head = this.#connection.heads.toText(status, headers, close || this.#connection.closing, this.#isChunked);
    this.headersSent = true;
  }

  flushHeaders(): void {
    if (this.#head !== "") this.socket.write(this.#head, "latin1");
    this.#head = "";
  }

  write(bytes: Uint8Array): boolean {
    const { socket } = this;
    if (bytes.byteLength === 0) return true; // an empty chunk would be the last
    if (this.#isChunked && this.#head === "" && bytes.byteLength <= maxCopied) {
      socket.write(toWholeChunk(bytes));
      return !socket.writableNeedDrain;
    }
    socket.cork();
    this.flushHeaders();
    if (this.#isChunked) socket.write(`${bytes.byteLength.toString(16)}\r\n`, "latin1");
    socket.write(bytes);
    if (this.#isChunked) socket.write("\r\n", "latin1");
    socket.uncork();
    return !socket.writableNeedDrain;
  }

  end(): void {
    const { socket } = this;
    socket.cork();
    this.flushHeaders();
    if (this.#isChunked) socket.write("0\r\n\r\n", "latin1");
    socket.uncork();
    this.#connection.responded();
  }

  detach(): Uint8Array | undefined {
    this.rawHeaders = this.rawHeaders.slice(); // see begin()
    return this.#connection.detach();
  }

  destroy(): void {
    this.socket.destroy();
  }

  once(event: "close" | "drain", listener: () => void): void {
    this.socket.once(event, listener);
  }

  off(event: "close" | "drain", listener: () => void): void {
    this.socket.off(event, listener);
  }
}

/** A chunk with its length and its end (RFC 9112, 7.1). */
function toWholeChunk(bytes: Uint8Array): Buffer {
  const length = `${bytes.byteLength.toString(16)}\r\n`;
  const end = length.length + bytes.byteLength;
  const chunk = Buffer.allocUnsafe(end + 2);
  chunk.write(length, "latin1");
  chunk.set(bytes, length.length);
  chunk.write("\r\n", end, "latin1");
  return chunk;
}
