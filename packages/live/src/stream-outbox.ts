import { type Closing, closings } from "./connections.ts";
import type { Outbox } from "./topic-list.ts";

/** Shared, and never changed: most streams have nothing that waits. */
const nothing: string[] = [];

/** What waits for the client of an event stream. */
export class StreamOutbox implements Outbox<string> {
  readonly #limit: number;
  readonly #onSlow: { end(closing: Closing): void };
  #waiting = nothing;
  #bytes = 0;
  #isEnded = false;
  #wake: (() => void) | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  /** `limit` is in bytes: past it `onSlow` is ended. */
  constructor(limit: number, onSlow: { end(closing: Closing): void }) {
    this.#limit = limit;
    this.#onSlow = onSlow;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  push(text: string): void {
    if (this.#isEnded) return;
    if (this.#bytes > 0 && this.#bytes + text.length > this.#limit) {
      this.clear();
      this.#onSlow.end(closings.slow);
      return;
    }
    this.#bytes += text.length;
    if (this.#waiting.length === 0) this.#waiting = [text];
    else this.#waiting.push(text);
    this.#wake?.();
  }

  /** Half of what may wait is for the buffer of a topic: the rest is for new events. */
  whenRoom(characters: number): Promise<void> | undefined {
    const fits = this.#bytes === 0 || this.#bytes + characters <= this.#limit / 2;
    if (fits || this.#isEnded) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Everything that waits, in one piece, as soon as there is something; "" at the end. */
  async take(): Promise<string> {
    while (this.#waiting.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const text = this.#waiting.join("");
    this.#waiting = nothing;
    this.#bytes = 0;
    this.#giveRoom();
    return text;
  }

  /** Nothing is sent after `last`. */
  end(last: string): void {
    this.#isEnded = true;
    if (last !== "") this.#waiting = [...this.#waiting, last];
    this.#giveRoom();
    this.#wake?.();
  }

  /** What waits is not sent. */
  clear(): void {
    this.#waiting = nothing;
  }

  #giveRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
