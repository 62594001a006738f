import type { LogDestination } from "./log-writer.ts";

/** Writes to a destination of the application. What that throws or rejects does not reach the code that logs. */
export class LogGuard implements LogDestination {
  /** The line that reports how many were dropped. */
  describeDropped: (count: number) => string = String;
  readonly #destination: LogDestination;
  #dropped = 0;

  constructor(destination: LogDestination) {
    this.#destination = destination;
  }

  get isTTY(): boolean {
    return this.#destination.isTTY === true;
  }

  write(line: string): void {
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (dropped > 0) this.#try(this.describeDropped(dropped), dropped);
    this.#try(line, 1);
  }

  /** `count`: how many lines are lost when it fails. */
  #try(line: string, count: number): void {
    const drop = () => {
      this.#dropped += count;
    };
    try {
      const written = this.#destination.write(line);
      if (written instanceof Promise) written.catch(drop);
    } catch {
      drop();
    }
  }
}
