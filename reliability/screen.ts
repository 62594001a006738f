/** One line for each finished part, and on a terminal a live line for the running ones. */
export class Screen {
  readonly #running = new Map<string, string>();
  readonly #isTerminal = process.stdout.isTTY === true;
  readonly #started = performance.now();

  start(id: string, title: string): void {
    if (!this.#isTerminal) process.stdout.write(`${this.#clock()} ${id.padEnd(3)} begins  ${title}\n`);
    this.#running.set(id, "");
    this.#draw();
  }

  progress(id: string, text: string): void {
    this.#running.set(id, text);
    this.#draw();
  }

  done(id: string, line: string): void {
    this.#running.delete(id);
    this.#clear();
    process.stdout.write(`${this.#clock()} ${id.padEnd(3)} ${line}\n`);
    this.#draw();
  }

  #draw(): void {
    if (!this.#isTerminal) return;
    const text = [...this.#running].map(([id, progress]) => `${id} ${progress}`).join("  |  ");
    this.#clear();
    process.stdout.write(`${this.#clock()} ${text}`.slice(0, (process.stdout.columns ?? 80) - 1));
  }

  #clear(): void {
    if (this.#isTerminal) process.stdout.write("\r\u001b[K");
  }

  #clock(): string {
    const seconds = Math.floor((performance.now() - this.#started) / 1000);
    return `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
  }
}
