import { Outbox } from "../outbox.ts";
import { joinWires, type Wire } from "../wire.ts";

/** Shared, and never changed: most streams have nothing that waits. */
const nothing: Wire[] = [];

/** What waits for the client of an event stream. */
export class StreamOutbox extends Outbox {
  #waiting = nothing;
  protected bytes = 0;
  #wake: (() => void) | undefined;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  protected add(wire: Wire, size: number): void {
    this.bytes += size;
    if (this.isEmpty) this.#waiting = [wire];
    else this.#waiting.push(wire);
    this.#wake?.();
  }

  /** `take()` gives room. */
  protected watchRoom(): void {}

  /** Everything that waits, in one piece, as soon as there is something; undefined at the end. */
  async take(): Promise<Uint8Array | undefined> {
    while (this.isEmpty && !this.isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const waiting = this.#waiting;
    this.#waiting = nothing;
    this.bytes = 0;
    this.giveRoom();
    return waiting.length === 0 ? undefined : joinWires(waiting);
  }

  /** Nothing is sent after `last`. */
  override end(last?: Wire): void {
    if (last !== undefined) this.#waiting = [...this.#waiting, last];
    super.end();
    this.#wake?.();
  }

  /** What waits is not sent. */
  clear(): void {
    this.#waiting = nothing;
  }
}
