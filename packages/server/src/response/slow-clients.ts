import type { Socket } from "node:net";
import type { ServerLog } from "../options.ts";
import type { ServerLimits } from "../request/limits.ts";

/**
 * Response bytes that clients have not read yet: how long they may take, and how many bytes may wait in memory.
 * Past the limit for all of them together, the slowest readers are disconnected.
 */
export class SlowClients {
  /** Half of the request timeout: a socket with bytes to write reports its timeout at the second interval without progress. */
  readonly #timeout: number;
  readonly #largest: number;
  readonly #total: number;
  readonly #log: ServerLog;
  /** The one whose client has read nothing for the longest time comes first. */
  readonly #bytes = new Map<Socket, number>();
  #sum = 0;

  constructor({ requestTimeout, pendingBytes, pendingBytesTotal }: ServerLimits, log: ServerLog) {
    this.#timeout = Math.ceil(requestTimeout / 2);
    this.#largest = pendingBytes;
    this.#total = pendingBytesTotal;
    this.#log = log;
  }

  /** Refuses a body, or one chunk of a stream, that is too large to wait in memory. */
  check(bytes: number): void {
    if (bytes <= this.#largest) return;
    throw new RangeError(
      `${bytes} bytes in one piece are more than limits.pendingBytes (${this.#largest}): send smaller chunks`,
    );
  }

  /** The client does not keep up: so many bytes wait for it. */
  hold(socket: Socket, bytes: number): void {
    socket.setTimeout(this.#timeout);
    this.forget(socket);
    this.#bytes.set(socket, bytes);
    this.#sum += bytes;
    if (this.#sum > this.#total) this.#disconnectSlowest(socket);
  }

  /** The client has read everything so far. A half-closed one keeps its deadline. */
  release(socket: Socket): void {
    socket.setTimeout(socket.readableEnded ? this.#timeout : 0);
    this.forget(socket);
  }

  /** The connection is closed. */
  forget(socket: Socket): void {
    this.#sum -= this.#bytes.get(socket) ?? 0;
    this.#bytes.delete(socket);
  }

  #disconnectSlowest(newest: Socket): void {
    for (const [socket, bytes] of this.#bytes) {
      if (this.#sum <= this.#total || socket === newest) break;
      this.#log.warn({ address: socket.remoteAddress, bytes }, "disconnected a client that does not read its response");
      this.forget(socket);
      socket.destroy();
    }
  }
}
