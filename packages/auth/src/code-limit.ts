import { inject } from "@tenon/core";
import { digest, tooManyRequests } from "@tenon/core/internal";
import { KeyValue } from "@tenon/data";

const most = 5;
const seconds = 5 * 60;
const memorySeconds = 86_400;

/**
 * Limits guesses of second-factor codes, across all instances on one store: 5 per user in 5 minutes, and after each time
 * that they were used up in a day, in twice as long.
 */
export class CodeLimit {
  readonly #store = inject(KeyValue);

  /**
   * Counts a guess, before it is looked at: of any number of concurrent ones only 5 get past. Throws a 429 for the others.
   * Returns whether it is the last one that gets past.
   */
  async count(userId: string): Promise<boolean> {
    const key = keyOf(userId);
    const repeats = (await this.#store.get<number>(repeatsOf(userId))) ?? 0;
    const guess = await this.#store.increment(key, { ttl: seconds * 2 ** repeats });
    if (guess > most) throw tooManyRequests((await this.#store.ttl(key)) ?? 0);
    return guess === most;
  }

  /** After the last guess was wrong: the next window is longer. */
  async noteUsedUp(userId: string): Promise<void> {
    await this.#store.increment(repeatsOf(userId), { ttl: memorySeconds });
  }

  /** After a right code, or a reset of the password. */
  async clear(userId: string): Promise<void> {
    await this.#store.delete(keyOf(userId));
  }
}

function keyOf(userId: string): string {
  return `second-factor-guesses:${digest(userId)}`;
}

function repeatsOf(userId: string): string {
  return `second-factor-repeats:${digest(userId)}`;
}
