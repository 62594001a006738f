import { availableParallelism } from "node:os";
import { inject } from "@tenon/core";
import { compare, getRounds, hash } from "bcrypt";
import { AuthSettings } from "./settings.ts";
import { WorkQueue } from "./work-queue.ts";

const maxBytes = 72;
// milliseconds on a common machine, doubled by each step of the cost: the first callers after a start are not turned away
const costTenTakes = 60;

/** Hashes and compares passwords with bcrypt, off the main thread and never so many that files and names must wait. */
export class Passwords {
  readonly #settings = inject(AuthSettings);
  readonly #cost = this.#settings.bcryptCost;
  readonly #queue = new WorkQueue({
    // node's thread pool has four threads, shared with file and name look-ups; one core stays with the event loop
    concurrency: Math.min(2, Math.max(1, availableParallelism() - 1)),
    maxWait: this.#settings.passwordWait,
    expected: costTenTakes * 2 ** (this.#cost - 10),
  });

  /**
   * bcrypt reads 72 bytes and ignores the rest: two longer passwords with the same beginning would be the same.
   * So would two with half a surrogate pair, which UTF-8 cannot tell apart.
   */
  fits(password: string): boolean {
    return password.isWellFormed() && Buffer.byteLength(password) <= maxBytes;
  }

  async hash(password: string): Promise<string> {
    if (!this.fits(password)) throw new RangeError(`a password is well-formed text of at most ${maxBytes} bytes`);
    return this.#queue.run(() => hash(password, this.#cost));
  }

  /** Without a hash, or with a password that cannot be right, it takes as long and says no. */
  async matches(password: string, stored: string | undefined): Promise<boolean> {
    const fits = this.fits(password);
    const against = stored ?? dummyHash(this.#cost);
    const equal = await this.#queue.run(() => compare(fits ? password : "does not fit", against));
    return equal && fits && stored !== undefined;
  }

  /** Whether a hash was made with a lower cost than the one in force. */
  isOutdated(stored: string): boolean {
    return getRounds(stored) < this.#cost;
  }
}

/** Nobody's hash, in the form that bcrypt works through: a malformed one is refused at once, and the time would tell. */
export function dummyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, "0")}$abcdefghijklmnopqrstuuT6Or7bzMfjFNWBEdrlwWU5TQ8hCa9Km`;
}
