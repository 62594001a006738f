import type { IncomingMessage, ServerResponse } from "node:http";
import { BodyReader, tooLarge } from "../context/body.ts";
import type { Incoming } from "../context/incoming.ts";
import { HttpError } from "../errors.ts";
import type { Inspected } from "./inspect.ts";
import type { Peer, ProxyTrust } from "./proxy.ts";
import { findHeader, toHeaderMap } from "./raw-headers.ts";

/** A request of node:http as the context sees it. */
export class NodeIncoming implements Incoming {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #head: Inspected;
  readonly #trust: ProxyTrust;
  readonly #expectsContinue: boolean;
  #peer: Peer | undefined;
  #controller: AbortController | undefined;
  #reader: BodyReader | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, head: Inspected, trust: ProxyTrust, expectsContinue: boolean) {
    this.#req = req;
    this.#res = res;
    this.#head = head;
    this.#trust = trust;
    this.#expectsContinue = expectsContinue;
  }

  get method(): string {
    return this.#req.method as string; // node sets it on every request of a server
  }
  get path(): string {
    return this.#head.path;
  }
  get search(): string {
    return this.#head.search;
  }
  get targetLength(): number {
    return (this.#req.url as string).length; // as above
  }
  get address(): string {
    return this.#resolvePeer().address;
  }
  get protocol(): string {
    return this.#resolvePeer().protocol;
  }
  get host(): string {
    return this.#resolvePeer().host;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#res.destroyed) this.abort();
      else {
        this.#res.once("close", () => {
          if (!this.#res.writableFinished) this.abort();
        });
      }
    }
    return this.#controller.signal;
  }

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
    const { contentLength = 0 } = this.#head;
    if (contentLength > limit) return Promise.reject(tooLarge());
    const reader = new BodyReader(limit, timeout);
    this.#reader = reader;
    if (this.#req.destroyed && !this.#req.complete) {
      this.breakBody(new HttpError(400, "Bad Request"));
      return reader.result;
    }
    this.#req.on("data", (chunk: Uint8Array) => {
      if (!reader.push(chunk)) this.#req.pause();
    });
    this.#req.once("end", () => reader.end());
    this.#req.once("close", () => reader.fail(new HttpError(400, "Bad Request"))); // cut off: nobody reads the answer
    if (this.#expectsContinue) this.#res.writeContinue();
    return reader.result;
  }

  /** The rest of the body will never come, or not in a form that can be read. */
  breakBody(error: HttpError): void {
    this.#reader?.fail(error);
  }

  /** Whether bytes may still come that nobody will read, so that the connection cannot carry another request. */
  leavesTooMuch(limit: number): boolean {
    if (this.#req.complete) return false;
    if (this.#reader !== undefined || this.#expectsContinue) return true;
    return this.#head.chunked || (this.#head.contentLength ?? 0) > limit;
  }

  #resolvePeer(): Peer {
    const { socket } = this.#req;
    this.#peer ??= this.#trust.resolve(
      {
        address: socket.remoteAddress ?? "",
        protocol: "encrypted" in socket ? "https" : "http",
        host: this.#head.host,
      },
      (name) => this.header(name),
    );
    return this.#peer;
  }
}
