import { loadDevtools } from "../app/development.ts";
import { toPrettyLine } from "../log/log-pretty.ts";
import { type LogDestination, LogWriter } from "../log/log-writer.ts";

const mostErrors = 100;

/** Prints the errors of a test application. An equal one is printed once: a test with random input may cause it a thousand times. */
export class ErrorPrinter implements LogDestination {
  readonly #color: boolean;
  readonly #writer = new LogWriter(2, { sync: true });
  readonly #printed = new Set<string>();
  #tools: ReturnType<typeof loadDevtools> | undefined;

  constructor(color: boolean) {
    this.#color = color;
  }

  /** With the source of an error, where the developer tools are installed: they are loaded for the first one. */
  async write(json: string): Promise<void> {
    this.#tools ??= loadDevtools();
    const line = toPrettyLine(json, this.#color, (await this.#tools)?.toReadableLine);
    const error = line.slice(line.indexOf("\n") + 1);
    const text = error === "" ? line.replaceAll(/^\S+ | id=\S+/g, "") : error; // without what each request has of its own
    if (this.#printed.has(text) || this.#printed.size >= mostErrors) return;
    this.#printed.add(text);
    this.#writer.write(line);
  }
}
