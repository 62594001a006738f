import type { JobRow } from "../job-record.ts";
import type { Peek } from "./job-statements.ts";

const longestBounded = 10_000;
/** Outside of what a priority can be. */
const ends = { top: 2 ** 31, bottom: -(2 ** 31) - 1 };

/**
 * Where the looks of a worker begin. While a transaction is open, PostgreSQL keeps an index entry of every job that has
 * been claimed or has ended since, and a look from the start would read them all. A late commit may add a job before the
 * bounds: one look in a while, for at most a twentieth of the time, has none.
 */
export class LookBounds {
  /** The last job that was claimed, by queue and priority. */
  readonly #claimed = new Map<string, Map<number, JobRow>>();
  readonly #lease: number;
  #startedAt = 0;
  #nextFull = 0;
  #isFull = false;
  /** No job is due, and no lease ends, before these times. */
  due = 0;
  expiry = 0;

  /** `lease`: milliseconds of the leases that other processes may write after a look. */
  constructor(lease = 0) {
    this.#lease = lease;
  }

  /** When the next look without bounds is due, by `performance.now()`; Infinity when the last one had none. */
  get nextFull(): number {
    return this.#isFull ? Number.POSITIVE_INFINITY : this.#nextFull;
  }

  start(): void {
    this.#startedAt = performance.now();
    this.#isFull = this.#startedAt >= this.#nextFull;
    if (!this.#isFull) return;
    this.#claimed.clear();
    this.due = 0;
    this.expiry = 0;
  }

  end({ now, next_due, next_expiry }: Peek): void {
    this.due = Math.min(next_due ?? now, now);
    this.expiry = Math.min(next_expiry ?? Number.POSITIVE_INFINITY, now + this.#lease);
    const end = performance.now();
    if (this.#isFull) this.#nextFull = end + Math.min(20 * (end - this.#startedAt), longestBounded);
  }

  note(rows: readonly JobRow[]): void {
    for (const row of rows) {
      const ofQueue = this.#claimed.get(row.queue) ?? new Map<number, JobRow>();
      this.#claimed.set(row.queue, ofQueue.set(row.priority, row));
    }
  }

  /** A list of [priority, run_at, id, next lower priority], in the order in which jobs start. */
  of(queue: string): (readonly number[])[] {
    const claimed = [...(this.#claimed.get(queue)?.values() ?? [])].sort((a, b) => b.priority - a.priority);
    const starts = [[ends.top, 0, 0], ...claimed.map(({ priority, run_at, id }) => [priority, run_at, id])];
    return starts.map((start, index) => [...start, starts[index + 1]?.[0] ?? ends.bottom]);
  }
}
