import { randomInt } from "node:crypto";

/** Numbers that look random and are the same again for the same seed. */
export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed: number = randomInt(1, 2 ** 31)) {
    this.seed = seed;
    this.#state = seed || 1; // at zero it would stay there
  }

  /** A whole number from 0 to below the bound. */
  below(bound: number): number {
    // xorshift32: nothing here needs more than a long period
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % bound;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T; // below its length
  }
}
