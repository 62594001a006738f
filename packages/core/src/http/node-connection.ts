import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { HttpError } from "../errors.ts";
import type { Connection } from "./exchange.ts";
import type { NodeMessage } from "./node-message.ts";
import type { SocketIncoming } from "./socket-incoming.ts";

const maxWaiting = 1000;
/** Milliseconds of silence after which a refused client counts as done sending. */
const silence = 2000;
/** Milliseconds that a client has to read a 408. Its time to send is over. */
const afterTimeout = 250;

/**
 * A socket and its requests, handled one after the other: node:http would start every request of a packet, a thousand
 * and more, and keep as many responses for a client that may never read them.
 */
export class NodeConnection implements Connection {
  readonly socket: Socket;
  /** The one being handled, or the last one. */
  message: NodeMessage | undefined;
  incoming: SocketIncoming | undefined;
  /** A request that asks for another protocol and is handled as plain HTTP. */
  upgrade: IncomingMessage | undefined;
  /** Whether `api({ upgrade })` takes the upgrade that node:http reports, not a route. */
  isForHandler = false;
  host: string | undefined;
  /** Requests received so far. */
  requests = 0;
  /** Consecutive checks that found no running and no new request. */
  #idleChecks = 0;
  #checks = 0;
  #requestsAtCheck = 0;
  closing = false;
  broken: HttpError | undefined;
  /** Milliseconds that the client may go on sending after the last response. */
  #patience: number;
  readonly #waiting: (() => void)[] = [];

  constructor(socket: Socket, patience: number) {
    this.socket = socket;
    this.#patience = patience;
  }

  get finished(): boolean {
    return (this.message === undefined || this.message.finished) && this.#waiting.length === 0;
  }

  get idle(): boolean {
    return this.finished && (this.requests === 0 ? this.#checks > 1 : this.#idleChecks > 0);
  }

  /** Counts idle time in checks: node's own timer restarts with every byte, a blank line included. */
  checkIdle(maxChecks: number): void {
    this.#checks++;
    const idle = this.finished && this.requests > 0 && this.requests === this.#requestsAtCheck;
    this.#requestsAtCheck = this.requests;
    this.#idleChecks = idle ? this.#idleChecks + 1 : 0;
    if (this.#idleChecks > maxChecks) this.socket.destroy();
  }

  get headersSent(): boolean {
    return this.message?.headersSent === true;
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Handles a request after those before it. */
  enqueue(handle: () => void): void {
    if (this.closing || this.broken !== undefined) return;
    if (this.#waiting.push(handle) === 1) this.message?.once("close", this.#next);
    if (this.#waiting.length === maxWaiting) this.endInput(new HttpError(400, "Bad Request"));
  }

  readonly #next = (): void => {
    if (this.closing || this.socket.destroyed) this.#waiting.length = 0;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.message?.once("close", this.#next);
  };

  /** Reads nothing more. Running and waiting requests get their responses, then the connection closes. */
  endInput(reason: HttpError): void {
    this.broken = reason;
    if (reason.status === 408) this.timedOut();
    this.incoming?.breakBody(reason);
    this.#dropInput();
    this.#lingerAtEnd();
    if (this.message?.headersSent === true && !this.hasWaiting) this.message.once("close", () => this.linger());
  }

  closeAfterResponse(): void {
    this.closing = true;
    if (this.message?.headersSent === true) this.message.once("close", () => this.linger());
    else this.#lingerAtEnd();
  }

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
