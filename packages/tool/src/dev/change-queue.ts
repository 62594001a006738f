import { Changes } from "./changes.ts";

export interface Change {
  readonly files: readonly string[];
  /** The value of `performance.now()` at the first change. */
  readonly time: number;
}

/** Milliseconds without a change before the restart: an editor writes several files, or one in several steps. */
const quiet = 50;
/** Collects changes until there are no more for a moment. */
export class ChangeQueue {
  readonly #changes: Changes;
  readonly #signal: AbortSignal;
  readonly #files = new Set<string>();
  #time = 0;
  #timer: NodeJS.Timeout | undefined;
  #waiting: (() => void) | undefined;

  constructor(folder: string, signal: AbortSignal) {
    this.#signal = signal;
    this.#changes = new Changes(folder, (file) => this.#add(file));
    signal.addEventListener("abort", this.#wake, { once: true });
  }

  /** Whether neither a restart nor the end is under way. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** The files of the next change; undefined after the signal. */
  async next(): Promise<Change | undefined> {
    while (!this.#signal.aborted && (this.#files.size === 0 || this.#timer !== undefined)) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    if (this.#signal.aborted) return undefined;
    const files = [...this.#files];
    this.#files.clear();
    return { files, time: this.#time };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#changes.close();
    this.#signal.removeEventListener("abort", this.#wake);
  }

  #add(file: string): void {
    if (this.#files.size === 0) this.#time = performance.now();
    this.#files.add(file);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#wake();
    }, quiet);
  }

  readonly #wake = (): void => {
    const wake = this.#waiting;
    this.#waiting = undefined;
    wake?.();
  };
}
