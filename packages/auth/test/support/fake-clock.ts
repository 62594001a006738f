import { Clock } from "@tenon/auth";

/** A clock that moves only when the test moves it. */
export class FakeClock extends Clock {
  #now = Date.parse("2026-03-01T12:00:00.000Z");

  override now(): number {
    return this.#now;
  }

  /** The same in seconds, as tokens count. */
  get seconds(): number {
    return this.#now / 1000;
  }

  pass(seconds: number): void {
    this.#now += seconds * 1000;
  }
}
