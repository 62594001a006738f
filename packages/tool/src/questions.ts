import { createInterface } from "node:readline/promises";
import { BindError, type Context } from "@tenon/core";

export interface Question {
  /** The flag that answers it too. */
  readonly flag: string;
  readonly text: string;
  readonly fallback?: string;
  /** Why an answer cannot be taken. */
  readonly findFault: (answer: string) => string | undefined;
}

interface Streams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Asks at a terminal for what no flag has said. */
export class Questions {
  readonly #streams: () => Streams;

  /** The streams are opened only to ask: an open standard input would keep the process alive. */
  constructor(streams: () => Streams = () => ({ input: process.stdin, output: process.stderr })) {
    this.#streams = streams;
  }

  isTerminal(): boolean {
    const { input, output } = this.#streams();
    return input.isTTY === true && output.isTTY === true;
  }

  /** The flag's value; without one the answer, or at no terminal the fallback. Refused values end with exit code 2. */
  async settle(ctx: Context, given: string | undefined, question: Question, usage: string): Promise<string> {
    const { flag, fallback, findFault } = question;
    const isAsked = given === undefined && this.isTerminal();
    const value = isAsked ? await this.ask(question, ctx.signal) : (given ?? fallback);
    if (value === undefined) throw refuse(flag, "required", `is required. Usage: ${usage}`);
    const fault = findFault(value);
    if (fault !== undefined) throw refuse(flag, "name", fault);
    return value;
  }

  /** Until there is an answer that can be taken. Undefined when Ctrl-D says that there is none. */
  async ask({ text, fallback, findFault }: Question, signal: AbortSignal): Promise<string | undefined> {
    const { input, output } = this.#streams();
    const terminal = createInterface({ input, output });
    // the terminal is raw while it asks, so that Ctrl-C is a key and no signal
    terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    try {
      for (;;) {
        const hint = fallback === undefined ? "" : ` (${fallback})`;
        const answer = (await terminal.question(`${text}${hint}: `, { signal })).trim() || (fallback ?? "");
        const fault = findFault(answer);
        if (fault === undefined) return answer;
        output.write(`It ${fault}.\n`);
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof Error && error.name === "AbortError")) throw error;
      output.write("\n");
      return undefined;
    } finally {
      terminal.close();
    }
  }
}

function refuse(path: string, rule: string, message: string): BindError {
  return new BindError([{ path, rule, message }]);
}

/** For questions with a list of answers. */
export function oneOf(allowed: readonly string[]): Question["findFault"] {
  return (answer) => (allowed.includes(answer) ? undefined : `must be one of ${allowed.join(", ")}`);
}
