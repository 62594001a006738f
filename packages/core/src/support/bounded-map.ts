/**
 * A cache that holds at most `max` entries and drops those not read lately. It has two generations: a full recent one
 * becomes the earlier one, and an entry that is read again moves back. Deleting the oldest key of a single map again and
 * again would leave holes at its front that every look at the front has to skip.
 */
export class BoundedMap<K, V> {
  readonly #half: number;
  #recent = new Map<K, V>();
  #earlier = new Map<K, V>();

  constructor(max: number) {
    this.#half = max / 2;
  }

  /** At most the bound. */
  get size(): number {
    return this.#recent.size + this.#earlier.size;
  }

  get(key: K): V | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const earlier = this.#earlier.get(key);
    if (earlier !== undefined) this.set(key, earlier);
    return earlier;
  }

  set(key: K, value: V): void {
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }
}
