const width = 30;

/** A bar on a terminal, a line for each label elsewhere. Printed to standard error, so that standard output has only the results. */
export class Progress {
  readonly #total: number;
  readonly #clock: (() => number) | undefined;
  readonly #started = performance.now();
  #done = 0;
  #label = "";

  /** The share of `total` that is done is counted by `step()`, or is what `clock` returns. */
  constructor(total: number, clock?: () => number) {
    this.#total = total;
    this.#clock = clock;
  }

  show(label: string, detail = ""): void {
    if (!process.stderr.isTTY) {
      if (label !== this.#label) process.stderr.write(`${label}\n`);
      this.#label = label;
      return;
    }
    const share = this.#total === 0 ? 1 : Math.min(1, (this.#clock?.() ?? this.#done) / this.#total);
    const filled = Math.round(share * width);
    const bar = "█".repeat(filled) + "░".repeat(width - filled);
    const text = `${bar} ${String(Math.round(share * 100)).padStart(3)} %${this.#left(share)}  ${label} ${detail}`;
    process.stderr.write(`\r\u001b[2K${text.slice(0, Math.max(40, (process.stderr.columns ?? 100) - 1))}`);
  }

  step(): void {
    this.#done++;
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[2K");
  }

  #left(share: number): string {
    if (share === 0) return "";
    const seconds = ((performance.now() - this.#started) / share) * (1 - share);
    return seconds / 1000 > 90
      ? `, ${Math.round(seconds / 60_000)} min left`
      : `, ${Math.round(seconds / 1000)} s left`;
  }
}
