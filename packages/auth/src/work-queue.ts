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

interface Caller {
  readonly start: () => void;
  readonly giveUp: () => void;
}

const longestTimer = 2 ** 31 - 1;

/**
 * Runs expensive work with bounded concurrency. Each client has a line of its own, first come, first served, and the
 * lines take turns: one client that fills its line makes the others wait for one piece of its work, and a lone one has
 * the whole queue. A caller whose wait would be too long, by the recent average, gets a 503 at once; one that waits too
 * long anyway, because the machine got slower or others came, gets it at `maxWait`.
 */
export class WorkQueue {
  readonly #options: Required<WorkQueueOptions>;
  /** By client; the first line is the next whose turn it is. None is empty. */
  readonly #lines = new Map<string, Caller[]>();
  #waiting = 0;
  #running = 0;
  #average = 0;

  constructor(options: WorkQueueOptions) {
    this.#options = { maxWaiting: 1000, expected: options.maxWait / 4, ...options };
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** `client` is what takes turns, such as a network. */
  async run<T>(work: () => Promise<T>, client = ""): Promise<T> {
    if (this.#running >= this.#options.concurrency) await this.#turn(client);
    else this.#running++;
    const start = performance.now();
    try {
      const result = await work();
      // failed work is not timed: it says nothing about the duration of the next
      this.#measure(performance.now() - start);
      return result;
    } finally {
      // the slot passes directly to the next caller in the queue, so that a new one cannot take it
      const next = this.#next();
      if (next === undefined) this.#running--;
      else next.start();
    }
  }

  #turn(client: string): Promise<void> {
    const { maxWait, maxWaiting } = this.#options;
    const wait = this.#wait(client);
    if (wait > maxWait || (this.#waiting >= maxWaiting && !this.#makeRoom(client))) throw unavailable(wait);
    return new Promise((resolve, reject) => {
      const caller: Caller = {
        start: () => {
          clearTimeout(deadline);
          resolve();
        },
        giveUp: () => {
          clearTimeout(deadline);
          this.#leave(client, caller);
          reject(unavailable(this.#wait(client)));
        },
      };
      const deadline = setTimeout(caller.giveUp, Math.min(maxWait, longestTimer));
      this.#lines.set(client, [...(this.#lines.get(client) ?? []), caller]);
      this.#waiting++;
    });
  }

  /** The first of the line whose turn it is, which then waits behind all others. */
  #next(): Caller | undefined {
    const [entry] = this.#lines;
    const [client, [caller, ...others]] = entry ?? ["", []];
    if (caller === undefined) return undefined;
    this.#lines.delete(client);
    if (others.length > 0) this.#lines.set(client, others);
    this.#waiting--;
    return caller;
  }

  #leave(client: string, caller: Caller): void {
    const others = (this.#lines.get(client) ?? []).filter((other) => other !== caller);
    if (others.length > 0) this.#lines.set(client, others);
    else this.#lines.delete(client);
    this.#waiting--;
  }

  /** In a full queue the longest line gives up its last caller, for a client whose line is shorter. */
  #makeRoom(client: string): boolean {
    const own = this.#lines.get(client) ?? [];
    const longest = [...this.#lines.values()].reduce((most, line) => (line.length > most.length ? line : most), own);
    if (longest.length <= own.length + 1) return false;
    longest.at(-1)?.giveUp();
    return true;
  }

  /** Estimated milliseconds until a new caller of this client would start: its line, and as many turns of the others. */
  #wait(client: string): number {
    const own = this.#lines.get(client)?.length ?? 0;
    let turns = own + 1;
    for (const [other, { length }] of this.#lines) if (other !== client) turns += Math.min(length, own + 1);
    return (turns * (this.#average || this.#options.expected)) / this.#options.concurrency;
  }

  #measure(took: number): void {
    this.#average = this.#average === 0 ? took : 0.8 * this.#average + 0.2 * took;
  }
}

function unavailable(wait: number): HttpError {
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  return new HttpError(503, "Service Unavailable", { headers: { "retry-after": String(seconds) } });
}
