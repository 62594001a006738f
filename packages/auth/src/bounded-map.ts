/**
 * A map that forgets what was not asked for lately when it is full. Two halves: deleting the oldest of one map, again
 * and again, would leave holes at its front that each look at the front has to skip.
 */
export class BoundedMap<K, V> {
  readonly #half: number;
  #recent = new Map<K, V>();
  #earlier = new Map<K, V>();

  constructor(max: number) {
    this.#half = max / 2;
  }

  /** How many are held, at most the bound. */
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
