import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { stop, toBytes } from "../body/stream.ts";
import type { RoundRobin } from "./round-robin.ts";
import type { SlowClients } from "./slow-clients.ts";

export const sliceBytes = 256 * 1024;

/** A large body, written like a stream: only then it shows how fast its client reads. */
export class Slices implements AsyncIterator<Uint8Array> {
  readonly #body: Uint8Array;
  #start = 0;

  constructor(body: Uint8Array) {
    this.#body = body;
  }

  /** Bytes that are in memory and not yet passed on. */
  get remaining(): number {
    return this.#body.byteLength - this.#start;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.remaining === 0) return { done: true, value: undefined };
    const value = this.#body.subarray(this.#start, this.#start + sliceBytes);
    this.#start += value.byteLength;
    return { done: false, value };
  }
}

/** Where the body of a response is written. */
export interface StreamTarget {
  readonly socket: Socket;
  /** Replaces the socket while earlier responses are written. */
  readonly stream?: Writable;
  /** Nothing can be written any more. */
  readonly destroyed: boolean;
  /** Writes the head without waiting for the body. */
  flushHeaders(): void;
  /** False when the client does not keep up: the event `drain` follows. */
  write(bytes: Uint8Array): boolean;
  end(): void;
  /** The client disconnected, or the stream was ended early. */
  abort(): void;
}

export interface PumpOptions {
  /** May be silent for long: it ends when the client closes its sending side, and at a stop. */
  readonly eventStream: boolean;
  readonly slowClients: SlowClients;
  readonly turns: RoundRobin;
  /** Functions that end the open event streams. */
  readonly endings: Set<() => void>;
  readonly onError: (error: unknown) => void;
}

/** Writes chunk by chunk, no faster than the client reads, and stops when it disconnects. */
export async function pump(
  message: StreamTarget,
  iterator: AsyncIterator<unknown>,
  length: number | undefined,
  options: PumpOptions,
): Promise<void> {
  const { turns } = options;
  const { socket, stream = socket } = message;
  let round = -1;
  let rest = length ?? Number.POSITIVE_INFINITY;
  let ended = message.destroyed;
  let done = false;
  let wake = () => {};
  const end = () => {
    ended = true;
    wake();
  };
  const write = (value: unknown): boolean => {
    const bytes = toBytes(value);
    options.slowClients.check(bytes.byteLength);
    rest -= bytes.byteLength;
    if (rest < 0) throw new RangeError("the stream is longer than its Content-Length");
    return message.write(bytes);
  };
  stream.once("close", end);
  if (options.eventStream) {
    if (socket.readableEnded) ended = true;
    socket.on("end", end);
    options.endings.add(end);
  }
  try {
    if (options.eventStream) message.flushHeaders();
    while (!ended) {
      // the chunk is not a variable here: the wait below would keep it in memory a second time
      const hasRoom = await new Promise<boolean>((resolve, reject) => {
        wake = () => resolve(true);
        iterator
          .next()
          .then((step) => {
            if (!ended) done = step.done === true;
            return ended || done || write(step.value);
          })
          .then(resolve, reject);
      });
      // a source that is always ready leaves no time for the event `close`
      if (done || ended || message.destroyed) break;
      if (!hasRoom) {
        const remaining = iterator instanceof Slices ? iterator.remaining : 0;
        options.slowClients.hold(socket, stream.writableLength + remaining);
        await new Promise<void>((resolve) => {
          wake = resolve;
          stream.once("drain", resolve);
        });
        options.slowClients.release(socket);
      }
      // many event streams may have one event each: only a second one in the same round waits for a turn
      if ((!options.eventStream || round === turns.round) && turns.over) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          turns.wait(resolve);
        });
      }
      round = turns.round;
    }
    if (done && length !== undefined && rest > 0) throw new RangeError("the stream is shorter than its Content-Length");
    if (!message.destroyed) message.end();
  } catch (error) {
    options.onError(error);
    stream.destroy(); // the head is sent: only a closed connection still shows that the body is incomplete
  } finally {
    stream.off("close", end);
    socket.off("end", end);
    options.endings.delete(end);
    if (!done) {
      message.abort();
      void stop(() => iterator);
    }
  }
}
