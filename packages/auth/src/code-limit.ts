import { inject } from "@tenon/core";
import { digest, tooManyRequests } from "@tenon/core/internal";
import { KeyValue } from "@tenon/data";

const most = 5;
const seconds = 5 * 60;

/** Limits guesses of second-factor codes: 5 per user in 5 minutes, across all instances on one store. */
export class CodeLimit {
  readonly #store = inject(KeyValue);

  /** Counts a guess, before it is looked at: of any number of concurrent ones only 5 get past. Throws a 429 for the others. */
  async count(userId: string): Promise<void> {
    const key = keyOf(userId);
    if ((await this.#store.increment(key, { ttl: seconds })) <= most) return;
    throw tooManyRequests((await this.#store.ttl(key)) ?? 0);
  }

  /** After a right code. */
  async clear(userId: string): Promise<void> {
    await this.#store.delete(keyOf(userId));
  }
}

function keyOf(userId: string): string {
  return `second-factor-guesses:${digest(userId)}`;
}
