import { HttpError } from "@tenon/core";

export interface WorkQueueOptions {
  readonly concurrency: number;
  /** Milliseconds that a caller may have to wait; who would, or does, wait longer is turned away. */
  readonly maxWait: number;
  /** How many may wait, however fast the work is: 1,000 unless told otherwise. */
  readonly maxWaiting?: number;
  /** Milliseconds that the work is taken to need until some of it was measured; without it only a few may wait. */
  readonly expected?: number;
}

const longestTimer = 2 ** 31 - 1;

/**
 * Runs expensive work a few at a time, in the order of asking. Who would wait too long, by what the work has taken
 * lately, is turned away at once; who does so all the same, because the machine got slower, when the time is over.
 */
export class WorkQueue {
  readonly #concurrency: number;
  readonly #maxWait: number;
  readonly #maxWaiting: number;
  readonly #expected: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #average = 0;

  constructor(options: WorkQueueOptions) {
    this.#concurrency = options.concurrency;
    this.#maxWait = options.maxWait;
    this.#maxWaiting = options.maxWaiting ?? 1000;
    this.#expected = options.expected ?? options.maxWait / 4;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#concurrency) await this.#turn();
    else this.#running++;
    const start = performance.now();
    try {
      const result = await work();
      // work that failed says nothing about how long the next one takes
      this.#measure(performance.now() - start);
      return result;
    } finally {
      // the place passes on without becoming free in between, so that nobody can slip in
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  #turn(): Promise<void> {
    const wait = this.#wait();
    if (wait > this.#maxWait || this.#waiting.length >= this.#maxWaiting) throw turnedAway(wait);
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(deadline);
        resolve();
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(turnedAway(this.#wait()));
      };
      const deadline = setTimeout(giveUp, Math.min(this.#maxWait, longestTimer));
      this.#waiting.push(start);
    });
  }

  /** Milliseconds until one who comes now would begin. */
  #wait(): number {
    return ((this.#waiting.length + 1) * (this.#average || this.#expected)) / this.#concurrency;
  }

  #measure(took: number): void {
    this.#average = this.#average === 0 ? took : 0.8 * this.#average + 0.2 * took;
  }
}

function turnedAway(wait: number): HttpError {
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  return new HttpError(503, "Service Unavailable", { headers: { "retry-after": String(seconds) } });
}
