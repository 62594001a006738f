/** Milliseconds over which the rate is measured: a burst may use all of it at once. */
const burst = 5000;

/** How many messages a client may still send: a bucket that fills up with time. */
export class MessageRate {
  readonly #perMillisecond: number;
  readonly #most: number;
  #left: number;
  #at: number;

  constructor(perSecond: number, now: number) {
    this.#perMillisecond = perSecond / 1000;
    this.#most = this.#perMillisecond * burst;
    this.#left = this.#most;
    this.#at = now;
  }

  /** False when it is one too many. */
  take(now: number): boolean {
    this.#left = Math.min(this.#most, this.#left + (now - this.#at) * this.#perMillisecond);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
