import { type Closing, closings } from "./connections.ts";
import { sizeOf, type Wire } from "./wire.ts";

/** What a connection sends waits here until its client reads it. A client that reads too slowly is disconnected. */
export abstract class Outbox {
  readonly #limit: number;
  readonly #onSlow: { end(closing: Closing): void };
  #room: PromiseWithResolvers<void> | undefined;
  protected isEnded = false;

  /** `limit` is in bytes: beyond it, `onSlow` is ended. */
  constructor(limit: number, onSlow: { end(closing: Closing): void }) {
    this.#limit = limit;
    this.#onSlow = onSlow;
  }

  /** The bytes that wait. */
  protected abstract get bytes(): number;
  protected abstract add(wire: Wire, size: number): void;
  /** Arranges for a call of `giveRoom()` when the client has read something. */
  protected abstract watchRoom(): void;

  push(wire: Wire): void {
    if (this.isEnded) return;
    const size = sizeOf(wire);
    const waiting = this.bytes;
    if (waiting > 0 && waiting + size > this.#limit) this.#onSlow.end(closings.slow);
    else this.add(wire, size);
  }

  /** See `Sink`. Half of what may wait is for the buffer of a topic: the rest is for new events. */
  whenRoom(bytes: number): Promise<void> | undefined {
    const waiting = this.bytes;
    if (this.isEnded || waiting === 0 || waiting + bytes <= this.#limit / 2) return undefined;
    if (this.#room === undefined) {
      this.#room = Promise.withResolvers();
      this.watchRoom();
    }
    return this.#room.promise;
  }

  /** Nothing is sent after it. */
  end(): void {
    this.isEnded = true;
    this.giveRoom();
  }

  protected giveRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
