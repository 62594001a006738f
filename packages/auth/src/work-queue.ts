import { HttpError } from "@tenon/core";

export interface WorkQueueOptions {
  readonly concurrency: number;
  /** Milliseconds that a caller may wait. A caller that would, or does, wait longer gets a 503. */
  readonly maxWait: number;
  /** Callers that may wait, however fast the work is. Defaults to 1,000. */
  readonly maxWaiting?: number;
  /** Estimated milliseconds of one piece of work, until one has been timed. Defaults to a quarter of `maxWait`. */
  readonly expected?: number;
}

const longestTimer = 2 ** 31 - 1;

/**
 * Runs expensive work with bounded concurrency, first come, first served. A caller whose wait would be too long, by the
 * recent average, gets a 503 at once; one that waits too long anyway, because the machine got slower, gets it at `maxWait`.
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

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#concurrency) await this.#turn();
    else this.#running++;
    const start = performance.now();
    try {
      const result = await work();
      // failed work is not timed: it says nothing about the duration of the next
      this.#measure(performance.now() - start);
      return result;
    } finally {
      // the slot passes directly to the next caller in the queue, so that a new one cannot take it
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  #turn(): Promise<void> {
    const wait = this.#wait();
    if (wait > this.#maxWait || this.#waiting.length >= this.#maxWaiting) throw unavailable(wait);
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(deadline);
        resolve();
      };
      const timeOut = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(unavailable(this.#wait()));
      };
      const deadline = setTimeout(timeOut, Math.min(this.#maxWait, longestTimer));
      this.#waiting.push(start);
    });
  }

  /** Estimated milliseconds until a new caller would start. */
  #wait(): number {
    return ((this.#waiting.length + 1) * (this.#average || this.#expected)) / this.#concurrency;
  }

  #measure(took: number): void {
    this.#average = this.#average === 0 ? took : 0.8 * this.#average + 0.2 * took;
  }
}

function unavailable(wait: number): HttpError {
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  return new HttpError(503, "Service Unavailable", { headers: { "retry-after": String(seconds) } });
}
