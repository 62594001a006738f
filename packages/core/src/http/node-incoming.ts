import type { ServerResponse } from "node:http";
import { BodyReader, refuseBody, tooLarge } from "../context/body.ts";
import type { Incoming } from "../context/incoming.ts";
import { HttpError } from "../errors.ts";
import type { Inspected } from "./inspect.ts";
import type { NodeRequest } from "./node-request.ts";
import { type Peer, type ProxyTrust, toCanonicalAddress } from "./proxy.ts";
import { findHeader, toHeaderMap } from "./raw-headers.ts";

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

  /** Aborted by the client's last word, too: whoever only closed its sending side still gets an answer, if there is one. */
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
    // on the socket, because a reply that waits behind another one has none and is never told
    const gone = () => this.abort();
    socket.once("end", gone).once("close", gone);
    this.#res.once("close", () => {
      socket.off("end", gone).off("close", gone);
      if (!this.#res.writableFinished) this.abort();
    });
  }

  abort(): void {
    this.#controller?.abort(new Error("the client went away"));
  }

  header(name: string): string | undefined {
    return name === "authorization" ? this.#head.authorization : findHeader(this.#req.rawHeaders, name);
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
      if (reader.size !== contentLength) reader.watch(); // else all of it came together with the head
    });
    if (this.#expectsContinue) this.#res.writeContinue();
    return reader.result;
  }

  /** Whether the body did not arrive in time. */
  get timedOut(): boolean {
    return this.#reader?.timedOut === true;
  }

  /** The rest of the body will never come, or not in a form that can be read. */
  breakBody(error: HttpError): void {
    if (this.#req.complete) return; // it is what comes behind the body that is broken
    this.#broken = error;
    this.#reader?.fail(error);
  }

  /** During a stop: a body of which nothing came since the last call is not waited for. */
  giveUpStalledBody(): void {
    if (this.#reader?.isStalled() === true) this.#reader.fail(new HttpError(503, "Service Unavailable"));
  }

  /** Whether bytes may still come that nobody will read, so that the connection cannot carry another request. */
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
