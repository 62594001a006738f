/** One at a time, in the order of asking. */
export class Mutex {
  #tail: Promise<void> = Promise.resolve();
  #held = 0;

  get held(): boolean {
    return this.#held > 0;
  }

  /** Resolves when it is the caller's turn, with the way to end it. */
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

  /** Resolves when whoever holds it now, or waits for it, is done. */
  free(): Promise<void> {
    return this.#tail;
  }
}
