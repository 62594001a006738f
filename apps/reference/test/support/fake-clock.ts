import { Clock } from "@tenon/auth";

/** A clock at a whole second that moves only when a test moves it. Ids and secrets stay random. */
export class FakeClock extends Clock {
  #now = Math.floor(Date.now() / 1000) * 1000;

  override now(): number {
    return this.#now;
  }

  advance(seconds: number): void {
    this.#now += seconds * 1000;
  }
}
