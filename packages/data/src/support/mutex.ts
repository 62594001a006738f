/** A lock with a first-come, first-served queue. */
export class Mutex {
  #tail: Promise<void> = Promise.resolve();
  #held = 0;

  get held(): boolean {
    return this.#held > 0;
  }

  /** Resolves when the lock is acquired, with the function that releases it. */
  async acquire(): Promise<() => void> {
    const before = this.#tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tail = promise;
    this.#held++;
    await before;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#held--;
      resolve();
    };
  }

  /** Resolves when the current holder and all callers that wait have released it. */
  free(): Promise<void> {
    return this.#tail;
  }
}
