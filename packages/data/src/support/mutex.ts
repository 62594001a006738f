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
    let release = () => {};
    this.#tail = new Promise((resolve) => {
      release = resolve;
    });
    this.#held++;
    await before;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#held--;
      release();
    };
  }

  /** Resolves when the current holder and all callers that wait have released it. */
  free(): Promise<void> {
    return this.#tail;
  }
}
