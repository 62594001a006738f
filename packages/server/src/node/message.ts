import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type BodySource, IncomingBody } from "../body/incoming-body.ts";
import type { HeaderValue, Outgoing } from "../handler.ts";
import { findHeader, toHeaderMap } from "../request/header-list.ts";
import type { Inspected } from "../request/inspect.ts";
import { toCanonicalAddress } from "../request/ip-range.ts";
import type { Peer } from "../request/proxy.ts";
import type { Exchange, Message } from "../response/exchange.ts";

const notInspected: Inspected = { path: "", search: "", host: "", contentLength: undefined, chunked: false };

/** A request of node:http, and its response. */
export class NodeMessage implements Message, BodySource {
  method: string;
  readonly url: string;
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
  /** A pipelined response has none of its own yet. */
  readonly socket: Socket;
  readonly stream: ServerResponse;
  /** Set when the request is accepted. */
  inspected = notInspected;
  readonly expect = undefined; // node:http has responded to it
  readonly #req: IncomingMessage;
  readonly #exchange: Exchange;
  /** Bytes that have arrived after a request that asks for another protocol. */
  readonly #following: Uint8Array | undefined;
  #client: Peer | undefined;
  #controller: AbortController | undefined;
  #body: IncomingBody | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, exchange: Exchange, following?: Uint8Array) {
    this.#req = req;
    this.stream = res;
    this.#exchange = exchange;
    this.#following = following;
    this.method = req.method as string; // node sets it on every request of a server
    this.url = req.url as string; // likewise
    this.httpVersion = req.httpVersion;
    this.rawHeaders = req.rawHeaders;
    this.socket = req.socket;
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
  get destroyed(): boolean {
    return this.stream.destroyed;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const onClose = () => {
        if (!this.stream.writableFinished) this.abort();
      };
      if (this.stream.closed) onClose();
      else this.stream.once("close", onClose);
    }
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller?.abort(new Error("the client went away"));
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
    return this.#open().read(limit, timeout);
  }

  streamBody(limit: number, timeout: number): AsyncIterable<Uint8Array> {
    return this.#open().stream(limit, timeout);
  }

  #resolveClient(): Peer {
    this.#client ??= this.#exchange.trust.clientOf(this);
    return this.#client;
  }

  #open(): IncomingBody {
    const { bodies, options } = this.#exchange;
    this.#body ??= new IncomingBody(this.inspected.contentLength, this, bodies, options.toBodyError);
    return this.#body;
  }

  start(): void {
    const body = this.#open();
    this.#req
      .on("data", (chunk: Buffer) => {
        if (!body.push(chunk) && !body.failed) this.#req.pause(); // the rest of one that failed is dropped
      })
      .once("end", () => body.end())
      .once("close", () => body.fail(this.#exchange.options.toBodyError(400)));
  }

  resume(): void {
    this.#req.resume();
  }

  closesAfter(outgoing: Outgoing, stopping: boolean): boolean {
    return outgoing.closes || stopping;
  }

  send(status: number, headers: HeaderValue[], body: string | Uint8Array | null, close: boolean): void {
    this.begin(status, headers, close);
    this.stream.end(typeof body === "string" ? Buffer.from(body) : body); // as text, it would change the encoding of the head
    this.#watch();
  }

  begin(status: number, headers: HeaderValue[], close: boolean): void {
    if (close) this.stream.shouldKeepAlive = false;
    this.stream.writeHead(status, headers as (string | string[])[]); // node's type takes no read-only lists
  }

  flushHeaders(): void {
    this.stream.flushHeaders();
  }

  write(bytes: Uint8Array): boolean {
    return this.stream.write(bytes);
  }

  end(): void {
    this.stream.end();
    this.#watch();
  }

  detach(): Uint8Array | undefined {
    return this.#following; // the response stays assigned: it tells the signal when the connection closes
  }

  /** The response is written. Watches it until its client has read it: node:http waits forever. */
  #watch(): void {
    const { socket, stream } = this;
    this.#body?.release();
    const { slowClients } = this.#exchange;
    if (stream.writableLength === 0 || socket.destroyed) return;
    slowClients.hold(socket, stream.writableLength);
    // before node:http starts the timeout of an idle connection, which the release would clear
    stream.prependOnceListener("finish", () => slowClients.release(socket));
    stream.once("close", () => {
      if (!stream.writableFinished) slowClients.forget(socket);
    });
  }
}
