import type { Socket } from "node:net";
import type { Exchange } from "../response/exchange.ts";
import type { ResponseHeads } from "../response/response-head.ts";

/** Milliseconds of silence after which a refused client counts as done sending. */
const silence = 2000;
/** Milliseconds that a client has to read a 408. Its time to send is over. */
const afterTimeout = 250;

/** What the connections of a server share. */
export interface WireParts {
  readonly exchange: Exchange;
  readonly connections: Pick<Map<Socket, unknown>, "delete">;
  readonly heads: ResponseHeads;
  /** Milliseconds since the start, as of the last sweep: precise enough for timeouts, and free. */
  readonly clock: { now: number; readonly every: number };
}

/** What a connection does about its socket. */
export interface SocketEvents {
  readonly onData: (chunk: Buffer) => void;
  readonly onEnd: () => void;
  readonly onClose: () => void;
  /** The system has all bytes of a response. */
  readonly onFlushed: () => void;
}

/** How long a socket is kept: until when its client must act, and how its connection closes. */
export class Lifetime {
  readonly socket: Socket;
  readonly parts: WireParts;
  /** The current response is the last: what follows is dropped. */
  closing = false;
  /** Nothing more is read. Complete requests still get responses. */
  broken = false;
  /** When to give up what the client should do next, by the clock of the server; 0 while nothing is expected of it. */
  deadline = 0;
  /** Until when input is dropped after the last response; 0 before. */
  #lingersUntil = 0;
  #patience: number;
  readonly #events: SocketEvents;

  constructor(socket: Socket, parts: WireParts, events: SocketEvents) {
    this.socket = socket;
    this.parts = parts;
    this.#events = events;
    this.#patience = parts.exchange.options.limits.requestTimeout;
    socket.on("data", events.onData).on("end", events.onEnd).on("close", events.onClose);
    socket.on("timeout", destroy).on("error", ignore); // `close` follows
  }

  get lingers(): boolean {
    return this.#lingersUntil > 0;
  }

  /** The time in so many milliseconds, never too early. */
  in(milliseconds: number): number {
    const { now, every } = this.parts.clock;
    return now + every + milliseconds;
  }

  /** A request timed out: its client gets no more time to send bytes slowly. */
  timedOut(): void {
    this.#patience = Math.min(afterTimeout, this.#patience);
  }

  /** The response is written. */
  responded(): void {
    const { socket } = this;
    const { slowClients } = this.parts.exchange;
    if (socket.writableLength === 0) {
      this.#events.onFlushed();
      return;
    }
    slowClients.hold(socket, socket.writableLength);
    socket.write("", () => {
      slowClients.release(socket);
      if (!socket.destroyed) this.#events.onFlushed();
    });
  }

  /**
   * Closing a socket while the client still sends makes its system discard the response that it has not read yet.
   * So the write side closes first, and input is dropped until the client stops or its time is over.
   */
  linger(): void {
    this.#lingersUntil = this.in(this.#patience);
    this.waitForSilence();
    this.socket.end();
    this.socket.resume();
  }

  waitForSilence(): void {
    this.deadline = Math.min(this.#lingersUntil, this.in(silence));
  }

  /** Leaves the socket to another protocol. */
  detach(): void {
    const { onData, onEnd, onClose } = this.#events;
    this.parts.connections.delete(this.socket);
    this.socket
      .off("data", onData)
      .off("end", onEnd)
      .off("close", onClose)
      .off("timeout", destroy)
      .off("error", ignore);
  }
}

/** A response is not read, or the client has closed its sending side: only then there is a timeout. */
function destroy(this: Socket): void {
  this.destroy();
}

function ignore(): void {}
