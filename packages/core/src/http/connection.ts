import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { HttpError } from "../errors.ts";
import type { NodeIncoming } from "./node-incoming.ts";
import type { NodeRequest } from "./node-request.ts";

const maxWaiting = 1000;
/** Milliseconds of silence after which a client that is refused has stopped sending. */
const silence = 2000;
/** Milliseconds that a client gets to read why it was too slow. It has had its time to send. */
const afterTimeout = 250;

/**
 * A socket and its requests, handled one after the other: node would start all that one packet holds, a thousand
 * and more, and keep as many replies for a client that may never read them.
 */
export class Connection {
  readonly socket: Socket;
  /** Of the request at work, or of the one before. */
  res: ServerResponse | undefined;
  /** Undefined before the first request, and for a refused one. */
  incoming: NodeIncoming | undefined;
  /** The request that asked for another protocol. */
  upgrade: NodeRequest | undefined;
  /** Of the last request that was accepted. */
  host: string | undefined;
  /** How many requests came in. */
  requests = 0;
  /** How many checks in a row found it answered and without a new request. */
  #idleChecks = 0;
  #requestsAtCheck = 0;
  /** The reply at work is the last: nothing behind it is handled. */
  closing = false;
  /** Why nothing more is read. What was read whole is still answered. */
  broken: HttpError | undefined;
  /** How many milliseconds the client may go on sending after the last response. */
  #patience: number;
  readonly #waiting: (() => void)[] = [];

  constructor(socket: Socket, patience: number) {
    this.socket = socket;
    this.#patience = patience;
  }

  get answered(): boolean {
    return (this.res === undefined || this.res.writableFinished) && this.#waiting.length === 0;
  }

  /** Nothing came for about a second, or ever. */
  get idle(): boolean {
    return this.answered && (this.requests === 0 || this.#idleChecks > 0);
  }

  /** Counts idle time from outside: node's own timer starts anew with every byte, a blank line included. */
  checkIdle(maxChecks: number): void {
    const idle = this.answered && this.requests > 0 && this.requests === this.#requestsAtCheck;
    this.#requestsAtCheck = this.requests;
    this.#idleChecks = idle ? this.#idleChecks + 1 : 0;
    if (this.#idleChecks > maxChecks) this.socket.destroy();
  }

  /** Whether this reply can be followed by another. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Handles a request when those before it are answered. */
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

  /** Reads nothing more. What is at work and what waits is answered, then the connection ends. */
  endInput(reason: HttpError): void {
    this.broken = reason;
    if (reason.status === 408) this.timedOut();
    this.incoming?.breakBody(reason);
    this.#dropInput();
    this.#lingerAtEnd();
    if (this.res?.headersSent === true && !this.hasWaiting) this.res.once("close", () => this.linger());
  }

  /** Ends the connection after the reply at work, though the client may still be sending. */
  closeAfterReply(): void {
    this.closing = true;
    this.#lingerAtEnd();
  }

  /** A request took too long to arrive: its client gets no more time to drip bytes. */
  timedOut(): void {
    this.#patience = Math.min(afterTimeout, this.#patience);
  }

  /**
   * Closing a socket while the client still sends makes its system throw away the reply it has not read yet.
   * So the write side closes first, and what comes is read and dropped until the client stops or has had its time.
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
    this.socket.destroySoon = () => this.linger(); // node calls it when the last reply is written
  }

  /** Takes the socket away from the parser, which would report each further packet as an error of its own. */
  #dropInput(): void {
    const { socket } = this;
    const take = () => socket.removeAllListeners("data").on("data", drop);
    // a stopped socket is started by a listener that node takes away together with the parser
    if (socket.isPaused()) socket.once("resume", take).resume();
    else take();
  }
}

function drop(): void {}
