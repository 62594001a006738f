import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { BodyReader } from "../body/body-reader.ts";
import type { HeaderValue } from "../headers.ts";
import type { Message } from "./message.ts";
import type { Unread } from "./unread.ts";

/** A request of node:http and its response. */
export class NodeMessage implements Message {
  readonly expect: string | undefined;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #unread: Unread;
  readonly #keepAlive: string;
  readonly #early: Uint8Array | undefined;

  /** `keepAlive` is how long a kept connection may stay idle, in milliseconds. */
  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    options: {
      readonly expects: boolean;
      readonly unread: Unread;
      readonly keepAlive: number;
      /** What has arrived after a request that node:http has detached its parser for. */
      readonly early?: Uint8Array;
    },
  ) {
    this.#req = req;
    this.#res = res;
    this.#unread = options.unread;
    this.#early = options.early;
    this.#keepAlive = `timeout=${Math.floor(options.keepAlive / 1000)}`;
    if (options.expects) this.expect = req.headers.expect;
  }

  get method(): string {
    return this.#req.method as string; // node sets both on every request of a server
  }
  get url(): string {
    return this.#req.url as string;
  }
  get httpVersion(): string {
    return this.#req.httpVersion;
  }
  get rawHeaders(): readonly string[] {
    return this.#req.rawHeaders;
  }
  get socket(): Socket {
    return this.#req.socket;
  }
  get complete(): boolean {
    return this.#req.complete;
  }
  get destroyed(): boolean {
    return this.#res.destroyed;
  }
  get headersSent(): boolean {
    return this.#res.headersSent;
  }
  get finished(): boolean {
    return this.#res.writableFinished;
  }
  get writableLength(): number {
    return this.#res.writableLength;
  }

  readInto(reader: BodyReader): void {
    this.#req.on("data", (chunk: Buffer) => {
      if (!reader.push(chunk)) this.#req.pause(); // it was refused, so the connection will close
    });
    this.#req.once("end", () => reader.end());
  }

  sendContinue(): void {
    if (!this.#res.headersSent) this.#res.writeContinue();
  }

  send(status: number, headers: HeaderValue[], body: string | Uint8Array | null, close: boolean): void {
    this.#writeHead(status, headers, close, this.#res.shouldKeepAlive);
    this.#res.end(typeof body === "string" ? Buffer.from(body) : body); // as text, it would change the encoding of the head
    this.#watch();
  }

  begin(status: number, headers: HeaderValue[], close: boolean): void {
    const isDelimited = this.httpVersion === "1.1" || headers.at(-2) === "content-length";
    this.#writeHead(status, headers, close, this.#res.shouldKeepAlive && isDelimited);
  }

  flushHeaders(): void {
    this.#res.flushHeaders();
  }

  write(bytes: Uint8Array): boolean {
    return this.#res.write(bytes);
  }

  end(): void {
    this.#res.end();
    this.#watch();
  }

  detach(): Uint8Array | undefined {
    if (this.#early === undefined || this.#res.headersSent) return undefined;
    this.#res.detachSocket(this.socket);
    return this.#early;
  }

  destroy(): void {
    this.#res.destroy();
  }

  once(event: "close" | "drain" | "finish", listener: () => void): void {
    this.#res.once(event, listener);
  }

  off(event: "close" | "drain", listener: () => void): void {
    this.#res.off(event, listener);
  }

  #writeHead(status: number, headers: HeaderValue[], close: boolean, keep: boolean): void {
    const connection = close ? ["connection", "close"] : keep ? ["Keep-Alive", this.#keepAlive] : [];
    this.#res.writeHead(status, [...headers, ...connection] as (string | string[])[]); // node's type takes no read-only lists
  }

  /** Watches the response until its client has read it. */
  #watch(): void {
    if (this.#res.writableLength === 0) return;
    this.#unread.hold(this.socket, this.#res.writableLength);
    this.once("finish", () => this.#unread.release(this.socket));
  }
}
