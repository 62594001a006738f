import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { toBodyError, tooLarge } from "../../body/body-error.ts";
import { BodyQueue } from "../../body/body-queue.ts";
import { type BodyMemory, BodyReader, refuseBody } from "../../body/body-reader.ts";
import { boundedChunks } from "../../body/bounded-chunks.ts";
import { findHeader, type Inspected, toHeaderMap } from "../inspect.ts";
import { toCanonicalAddress } from "../ip-range.ts";
import type { Peer, ProxyTrust } from "../proxy.ts";

/** A request of node:http as the context sees it. */
export class NodeIncoming {
  method: string;
  readonly path: string;
  readonly search: string;
  readonly peer: string;
  readonly address: string;
  readonly protocol: string;
  readonly host: string;
  /** A pipelined response has none of its own yet. */
  readonly socket: Socket;
  readonly #req: IncomingMessage;
  readonly stream: ServerResponse;
  readonly #head: Inspected;
  readonly #bodies: BodyMemory;
  #controller: AbortController | undefined;
  #reader: BodyReader | BodyQueue | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, head: Inspected, trust: ProxyTrust, bodies: BodyMemory) {
    this.#req = req;
    this.stream = res;
    this.#head = head;
    this.#bodies = bodies;
    this.method = req.method as string; // node sets it on every request of a server
    this.path = head.path;
    this.search = head.search;
    this.socket = req.socket;
    this.peer = toCanonicalAddress(req.socket.remoteAddress);
    const protocol = "encrypted" in req.socket ? "https" : "http";
    const connected: Peer = { address: this.peer, protocol, host: head.host };
    const client = trust.resolve(connected, (name) => this.header(name));
    this.address = client.address;
    this.protocol = client.protocol;
    this.host = client.host;
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

  /** The client has left, or the response was ended early. */
  abort(): void {
    this.#controller?.abort(new Error("the client went away"));
  }

  header(name: string): string | undefined {
    return findHeader(this.#req.rawHeaders, name);
  }

  headers(): Record<string, string> {
    return toHeaderMap(this.#req.rawHeaders);
  }

  readBody(limit: number, timeout: number): Promise<Uint8Array> {
    const { contentLength, chunked } = this.#head;
    if (!chunked && (contentLength ?? 0) === 0) return Promise.resolve(new Uint8Array());
    if (contentLength !== undefined && contentLength > limit) return refuseBody(tooLarge());
    const reader = new BodyReader(contentLength ?? limit, timeout, this.#bodies);
    this.#reader = reader;
    this.#req
      .on("data", (chunk: Buffer) => reader.push(chunk)) // the rest of one that was refused is dropped
      .once("end", () => reader.end())
      .once("close", () => reader.fail(toBodyError(400)));
    return reader.result;
  }

  streamBody(limit: number, timeout: number): AsyncIterable<Uint8Array> {
    const queue = new BodyQueue(() => this.#req.resume());
    this.#reader = queue;
    this.#req
      .on("data", (chunk: Buffer) => {
        if (!queue.push(chunk)) this.#req.pause();
      })
      .once("end", () => queue.end())
      .once("close", () => queue.fail(toBodyError(400)));
    return boundedChunks(queue, { declared: this.#head.contentLength, limit, timeout });
  }

  /** The handler has responded. */
  releaseBody(): void {
    this.#reader?.release();
  }
}
