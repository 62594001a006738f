import type { ServerResponse } from "node:http";
import { BodyReader, refuseBody, tooLarge } from "../body/body-reader.ts";
import { HttpError } from "../errors.ts";
import type { Incoming } from "../request.ts";
import { findHeader, type Inspected, toHeaderMap } from "./inspect.ts";
import type { NodeRequest } from "./node-message.ts";
import { type Peer, type ProxyTrust, toCanonicalAddress } from "./proxy.ts";

/** A request of node:http as the context sees it. */
export class NodeIncoming implements Incoming {
  readonly #req: NodeRequest;
  readonly #res: ServerResponse;
  readonly #head: Inspected;
  readonly #trust: ProxyTrust;
  readonly #expectsContinue: boolean;
  #peer: Peer | undefined;
  #controller: AbortController | undefined;
  #reader: BodyReader | undefined;
  #broken: HttpError | undefined;

  constructor(req: NodeRequest, res: ServerResponse, head: Inspected, trust: ProxyTrust, expectsContinue: boolean) {
    this.#req = req;
    this.#res = res;
    this.#head = head;
    this.#trust = trust;
    this.#expectsContinue = expectsContinue;
  }

  get method(): string {
    return this.#req.method;
  }
  get path(): string {
    return this.#head.path;
  }
  get search(): string {
    return this.#head.search;
  }
  get targetLength(): number {
    return this.#req.url.length;
  }
  get address(): string {
    return this.#resolvePeer().address;
  }
  get peer(): string {
    return toCanonicalAddress(this.#req.socket.remoteAddress ?? "");
  }
  get protocol(): string {
    return this.#resolvePeer().protocol;
  }
  get host(): string {
    return this.#resolvePeer().host;
  }

  /** Aborted by a half-close too: a client that only closed its sending side still gets a response, if there is one. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (!this.#res.writableFinished) this.#watchClient();
    }
    return this.#controller.signal;
  }

  #watchClient(): void {
    const { socket } = this.#req;
    if (socket.destroyed || socket.readableEnded) {
      this.abort();
      return;
    }
    // on the socket, because a response that waits for an earlier one has no socket and gets no event
    const abort = () => this.abort();
    socket.once("end", abort).once("close", abort);
    this.#res.once("close", () => {
      socket.off("end", abort).off("close", abort);
      if (!this.#res.writableFinished) this.abort();
    });
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
    const { contentLength, chunked } = this.#head;
    if (!chunked && (contentLength ?? 0) === 0) return Promise.resolve(new Uint8Array());
    if (contentLength !== undefined && contentLength > limit) return refuseBody(tooLarge());
    if (this.#req.destroyed && !this.#req.complete) this.#broken ??= new HttpError(400, "Bad Request");
    if (this.#broken !== undefined) return refuseBody(this.#broken);
    const reader = new BodyReader(limit, timeout);
    this.#reader = reader;
    this.#req.readInto(reader);
    process.nextTick(() => {
      if (reader.size !== contentLength) reader.watch(); // else it arrived together with the head
    });
    if (this.#expectsContinue) this.#res.writeContinue();
    return reader.result;
  }

  /** Whether the body did not arrive in time. */
  get timedOut(): boolean {
    return this.#reader?.timedOut === true;
  }

  /** The rest of the body will not arrive, or is malformed. */
  breakBody(error: HttpError): void {
    if (this.#req.complete) return; // the bytes after the body are broken, not the body
    this.#broken = error;
    this.#reader?.fail(error);
  }

  /** During a stop: fails a body of which no byte has arrived since the last call. */
  giveUpStalledBody(): void {
    if (this.#reader?.isStalled() === true) this.#reader.fail(new HttpError(503, "Service Unavailable"));
  }

  /** Whether unread bytes may still arrive, so that the connection cannot carry another request. */
  leavesTooMuch(limit: number): boolean {
    if (this.#req.complete) return false;
    if (this.#reader !== undefined || this.#broken !== undefined || this.#expectsContinue) return true;
    return this.#head.chunked || (this.#head.contentLength ?? 0) > limit;
  }

  #resolvePeer(): Peer {
    const { socket } = this.#req;
    this.#peer ??= this.#trust.resolve(
      {
        address: this.peer,
        protocol: "encrypted" in socket ? "https" : "http",
        host: this.#head.host,
      },
      (name) => this.header(name),
    );
    return this.#peer;
  }
}
