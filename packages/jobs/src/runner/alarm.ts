const longestTimer = 2 ** 31 - 1; // node:timers treats a longer delay as one millisecond

/** A sleep that can be ended. A `wake()` without a sleep ends the next sleep at once, so that none is lost. */
export class Alarm {
  #rung = false;
  #ring: (() => void) | undefined;

  wake(): void {
    this.#rung = true;
    this.#ring?.();
  }

  /** Resolves after that many milliseconds, or at `wake()`. */
  async sleep(milliseconds: number): Promise<void> {
    if (!this.#rung) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, Math.min(Math.max(milliseconds, 0), longestTimer));
      this.#ring = resolve;
      await promise;
      clearTimeout(timer);
      this.#ring = undefined;
    }
    this.#rung = false;
  }
}
