/** Milliseconds of a round of the event loop. */
const least = 0.5;

/**
 * Shares the event loop between streams, or pipelined requests, that are always ready: without it, one client that reads
 * fast would delay all others for as long as its stream lasts. Past the time of a round they continue one by one, one in
 * each round. A turn is half a millisecond, or as long as the rest of the round took, up to `most`: on a busy service streams
 * would stop otherwise.
 */
export class RoundRobin {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #round = 0;
  #isCounting = false;
  #end = 0;

  constructor(most = least) {
    this.#most = most;
  }

  /** The current round of the event loop. */
  get round(): number {
    if (!this.#isCounting) this.#begin();
    return this.#round;
  }

  /** Whether the time of the current round is used up. */
  get over(): boolean {
    if (!this.#isCounting) this.#begin();
    return performance.now() >= this.#end;
  }

  /** Calls the function in a later round. Only when this one is over. */
  wait(resume: () => void): void {
    this.#waiting.push(resume);
  }

  #begin(time = least): void {
    this.#isCounting = true;
    this.#end = performance.now() + time;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#round++;
    this.#isCounting = false;
    const resume = this.#waiting.shift();
    if (resume === undefined) return;
    const rest = performance.now() - this.#end;
    this.#begin(Math.min(this.#most, Math.max(least, rest)));
    resume();
  };
}
