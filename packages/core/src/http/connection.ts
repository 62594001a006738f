import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { HttpError } from "../errors.ts";
import type { NodeIncoming } from "./node-incoming.ts";
import type { NodeRequest } from "./node-message.ts";

const maxWaiting = 1000;
/** Milliseconds of silence after which a refused client counts as done sending. */
const silence = 2000;
/** Milliseconds that a client has to read a 408. Its time to send is over. */
const afterTimeout = 250;

/**
 * A socket and its requests, handled one after the other: node:http would start every request of a packet, a thousand
 * and more, and keep as many responses for a client that may never read them.
 */
export class Connection {
  readonly socket: Socket;
  /** The response being written, or the last one written. */
  res: ServerResponse | undefined;
  /** Undefined before the first request, and for a refused one. */
  incoming: NodeIncoming | undefined;
  /** The request that asks for another protocol. */
  upgrade: NodeRequest | undefined;
  /** The host of the last accepted request. */
  host: string | undefined;
  /** Requests received so far. */
  requests = 0;
  /** Consecutive checks that found no running and no new request. */
  #idleChecks = 0;
  #requestsAtCheck = 0;
  /** The current response is the last: later requests are dropped. */
  closing = false;
  /** Why nothing more is read. Complete requests still get responses. */
  broken: HttpError | undefined;
  /** Milliseconds that the client may go on sending after the last response. */
  #patience: number;
  readonly #waiting: (() => void)[] = [];

  constructor(socket: Socket, patience: number) {
    this.socket = socket;
    this.#patience = patience;
  }

  get finished(): boolean {
    return (this.res === undefined || this.res.writableFinished) && this.#waiting.length === 0;
  }

  /** No request for about a second, or none at all. */
  get idle(): boolean {
    return this.finished && (this.requests === 0 || this.#idleChecks > 0);
  }

  /** Counts idle time in checks: node's own timer restarts with every byte, a blank line included. */
  checkIdle(maxChecks: number): void {
    const idle = this.finished && this.requests > 0 && this.requests === this.#requestsAtCheck;
    this.#requestsAtCheck = this.requests;
    this.#idleChecks = idle ? this.#idleChecks + 1 : 0;
    if (this.#idleChecks > maxChecks) this.socket.destroy();
  }

  /** Whether requests wait for the current one. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Handles a request after those before it. */
  enqueue(handle: () => void): void {
    if (this.closing || this.broken !== undefined) return;
    if (this.#waiting.push(handle) === 1) this.res?.once("close", this.#next);
    if (this.#waiting.length === maxWaiting) this.endInput(new HttpError(400, "Bad Request"));
  }

  readonly #next = (): void => {
    if (this.closing || this.socket.destroyed) this.#waiting.length = 0;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.res?.once("close", this.#next);
  };

  /** Reads nothing more. Running and waiting requests get their responses, then the connection closes. */
  endInput(reason: HttpError): void {
    this.broken = reason;
    if (reason.status === 408) this.timedOut();
    this.incoming?.breakBody(reason);
    this.#dropInput();
    this.#lingerAtEnd();
    if (this.res?.headersSent === true && !this.hasWaiting) this.res.once("close", () => this.linger());
  }

  /** Closes the connection after the current response, though the client may still be sending. */
  closeAfterResponse(): void {
    this.closing = true;
    this.#lingerAtEnd();
  }

  /** A request timed out: its client gets no more time to send bytes slowly. */
  timedOut(): void {
    this.#patience = Math.min(afterTimeout, this.#patience);
  }

  /**
   * Closing a socket while the client still sends makes its system discard the response that it has not read yet.
   * So the write side closes first, and input is dropped until the client stops or its time is over.
   */
  linger(): void {
    const { socket } = this;
    if (socket.destroyed || socket.writableEnded) return;
    this.#dropInput();
    socket.end();
    socket.resume();
    socket.setTimeout(Math.min(silence, this.#patience)); // the server's listener for it destroys the socket
    const timer = setTimeout(() => socket.destroy(), this.#patience).unref();
    socket.once("close", () => clearTimeout(timer));
  }

  #lingerAtEnd(): void {
    this.socket.destroySoon = () => this.linger(); // node:http calls it when the last response is written
  }

  /** Detaches the parser, which would report each further packet as an error. */
  #dropInput(): void {
    const { socket } = this;
    const take = () => socket.removeAllListeners("data").on("data", drop);
    // a paused socket is resumed by a listener that node:http removes together with the parser
    if (socket.isPaused()) socket.once("resume", take).resume();
    else take();
  }
}

function drop(): void {}
