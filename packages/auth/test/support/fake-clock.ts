import { Clock } from "@tenon/auth";

/** Stands still until it is told to go on. */
export class FakeClock extends Clock {
  #now = Date.parse("2026-03-01T12:00:00.000Z");

  override now(): number {
    return this.#now;
  }

  /** The same, as tokens count it. */
  get seconds(): number {
    return this.#now / 1000;
  }

  pass(seconds: number): void {
    this.#now += seconds * 1000;
  }
}
