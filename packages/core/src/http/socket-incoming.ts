import { BodyReader, refuseBody, tooLarge } from "../body/body-reader.ts";
import { HttpError } from "../errors.ts";
import type { Incoming } from "../request.ts";
import { findHeader, type Inspected, toHeaderMap } from "./inspect.ts";
import type { RequestMessage } from "./message.ts";
import { type Peer, type ProxyTrust, toCanonicalAddress } from "./proxy.ts";

/** A request on a socket as the context sees it. */
export class SocketIncoming implements Incoming {
  readonly #message: RequestMessage;
  readonly #head: Inspected;
  readonly #trust: ProxyTrust;
  #peer: Peer | undefined;
  #controller: AbortController | undefined;
  #reader: BodyReader | undefined;
  #broken: HttpError | undefined;

  constructor(message: RequestMessage, head: Inspected, trust: ProxyTrust) {
    this.#message = message;
    this.#head = head;
    this.#trust = trust;
  }

  get method(): string {
    return this.#message.method;
  }
  get path(): string {
    return this.#head.path;
  }
  get search(): string {
    return this.#head.search;
  }
  get address(): string {
    return this.#resolvePeer().address;
  }
  get peer(): string {
    return toCanonicalAddress(this.#message.socket.remoteAddress ?? "");
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
      const { socket } = this.#message;
      if (socket.destroyed || socket.readableEnded) this.clientLeft();
    }
    return this.#controller.signal;
  }

  /** The response was ended early. */
  abort(): void {
    this.#controller?.abort(new Error("the client went away"));
  }

  /** The client has left. A response that is already sent is not affected. */
  clientLeft(): void {
    if (!this.#message.finished) this.abort();
  }

  header(name: string): string | undefined {
    return findHeader(this.#message.rawHeaders, name);
  }

  headers(): Record<string, string> {
    return toHeaderMap(this.#message.rawHeaders);
  }

  readBody(limit: number, timeout: number): Promise<Uint8Array> {
    const { contentLength, chunked } = this.#head;
    if (!chunked && (contentLength ?? 0) === 0) return Promise.resolve(new Uint8Array());
    if (contentLength !== undefined && contentLength > limit) return refuseBody(tooLarge());
    if (this.#broken !== undefined) return refuseBody(this.#broken);
    const reader = new BodyReader(limit, timeout);
    this.#reader = reader;
    this.#message.readInto(reader);
    if (!reader.settled) {
      process.nextTick(() => {
        if (reader.size !== contentLength) reader.watch(); // else it arrived together with the head
      });
    }
    if (this.#message.expect !== undefined) this.#message.sendContinue();
    return reader.result;
  }

  /** Whether the body did not arrive in time. */
  get timedOut(): boolean {
    return this.#reader?.timedOut === true;
  }

  /** The rest of the body will not arrive, or is malformed. */
  breakBody(error: HttpError): void {
    if (this.#message.complete) return; // the bytes after the body are broken, not the body
    this.#broken = error;
    this.#reader?.fail(error);
  }

  /** During a stop: fails a body of which no byte has arrived since the last call. */
  giveUpStalledBody(): void {
    if (this.#reader?.isStalled() === true) this.#reader.fail(new HttpError(503, "Service Unavailable"));
  }

  /** Whether the body was not read, so that the connection should carry no other request. */
  leavesTooMuch(limit: number): boolean {
    if (this.#reader !== undefined) return !this.#reader.complete;
    if (this.#head.chunked) return true; // it has no length that says how much is left
    if (this.#message.complete) return false;
    const isBroken = this.#broken !== undefined || this.#message.expect !== undefined;
    return isBroken || (this.#head.contentLength ?? 0) > limit;
  }

  /** How the body is delimited. */
  get framing(): Pick<Inspected, "contentLength" | "chunked"> {
    return this.#head;
  }

  #resolvePeer(): Peer {
    this.#peer ??= this.#trust.resolve(
      {
        address: this.peer,
        protocol: "encrypted" in this.#message.socket ? "https" : "http",
        host: this.#head.host,
      },
      (name) => this.header(name),
    );
    return this.#peer;
  }
}
