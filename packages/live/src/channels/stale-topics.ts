/** A topic whose events could not be read. */
interface StaleTopic {
  pull(): void;
}

/** Milliseconds. */
const retryPause = 250;

/** The topics whose events could not be read. One of them is tried until the store responds, then all others are read. */
export class StaleTopics {
  readonly #topics = new Set<StaleTopic>();
  #timer: NodeJS.Timeout | undefined;

  /** Called again when the topic fails again. */
  add(topic: StaleTopic): void {
    this.#topics.delete(topic); // it comes last
    this.#topics.add(topic);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const [first] = this.#topics;
      first?.pull();
    }, retryPause).unref();
  }

  /** The topic was read, or has no subscribers any more. */
  remove(topic: StaleTopic): void {
    if (!this.#topics.delete(topic)) return;
    const others = [...this.#topics];
    this.#topics.clear(); // those that fail again come back
    for (const other of others) other.pull();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#topics.clear();
  }
}
