import type { ToBodyError } from "./bounded-chunks.ts";

/** A body of which some bytes are in memory. */
interface HeldBody {
  held: number;
  fail(error: Error): void;
}

/**
 * The memory of all request bodies that did not arrive together with their heads, until their handlers have responded.
 * Past the total, those that have been arriving for the longest time are refused; one body alone may have any size.
 */
export class BodyMemory {
  readonly #total: number;
  readonly #toError: ToBodyError;
  /** The oldest comes first. */
  readonly #arriving = new Set<HeldBody>();
  #sum = 0;

  constructor(total: number, toError: ToBodyError) {
    this.#total = total;
    this.#toError = toError;
  }

  /** Notes how many bytes of a body are in memory. */
  hold(body: HeldBody, bytes: number): void {
    this.#sum += bytes - body.held;
    body.held = bytes;
    this.#arriving.add(body);
    for (const oldest of this.#arriving) {
      if (this.#sum <= this.#total || this.#sum === body.held) break;
      oldest.fail(this.#toError(503, "The request bodies that are arriving are larger than limits.bodyBytesTotal."));
    }
  }

  /** The whole body has arrived. */
  arrived(body: HeldBody): void {
    this.#arriving.delete(body);
  }

  release(body: HeldBody): void {
    this.#sum -= body.held;
    body.held = 0;
    this.#arriving.delete(body);
  }
}
