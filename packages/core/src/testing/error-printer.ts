import { type LogDestination, LogWriter } from "../log/log-writer.ts";

const mostErrors = 100;

/** Prints the errors of a test application. An equal one is printed once: a test with random input may cause it a thousand times. */
export class ErrorPrinter implements LogDestination {
  readonly #writer = new LogWriter(2, { sync: true });
  readonly #printed = new Set<string>();

  write(line: string): void {
    const error = line.slice(line.indexOf("\n") + 1);
    const text = error === "" ? line.replaceAll(/^\S+ | id=\S+/g, "") : error; // without what each request has of its own
    if (this.#printed.has(text) || this.#printed.size >= mostErrors) return;
    this.#printed.add(text);
    this.#writer.write(line);
  }
}
