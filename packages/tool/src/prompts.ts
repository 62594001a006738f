import { createInterface } from "node:readline/promises";
import { BindError, type Context } from "@tenon/core";

export interface Prompt {
  /** The flag that gives the same value. */
  readonly flag: string;
  readonly text: string;
  readonly defaultValue?: string;
  /** Shown as a numbered list: the number selects one, or its name. */
  readonly choices?: readonly Choice[];
  /** The reason why a value is refused; undefined for a valid one. */
  readonly validate: (value: string) => string | undefined;
}

export interface Choice {
  readonly value: string;
  readonly hint: string;
}

interface Streams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Prompts at a terminal for the values that no flag gives. */
export class Prompts {
  readonly #streams: () => Streams;

  /** The streams are opened only for a prompt: an open standard input would keep the process alive. */
  constructor(streams: () => Streams = () => ({ input: process.stdin, output: process.stderr })) {
    this.#streams = streams;
  }

  isTerminal(): boolean {
    const { input, output } = this.#streams();
    return input.isTTY === true && output.isTTY === true;
  }

  /** The flag's value; without one the typed value, or the default where there is no terminal. An invalid value ends with exit code 2. */
  async resolve(ctx: Context, given: string | undefined, prompt: Prompt, usage: string): Promise<string> {
    const { flag, defaultValue, validate } = prompt;
    const isTyped = given === undefined && this.isTerminal();
    const value = isTyped ? await this.ask(prompt, ctx.signal) : (given ?? defaultValue);
    if (value === undefined) throw toBindError(flag, "required", `is required. Usage: ${usage}`);
    const reason = validate(value);
    if (reason !== undefined) throw toBindError(flag, "name", reason);
    return value;
  }

  /** Asks again until the value is valid. Undefined after Ctrl-D. */
  async ask({ text, defaultValue, choices = [], validate }: Prompt, signal: AbortSignal): Promise<string | undefined> {
    const { input, output } = this.#streams();
    const terminal = createInterface({ input, output });
    // readline sets the terminal to raw mode, in which Ctrl-C sends no signal to the process
    terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    try {
      for (const [index, { value, hint }] of choices.entries()) output.write(`  ${index + 1}  ${value}  ${hint}\n`);
      for (;;) {
        const hint = defaultValue === undefined ? "" : ` (${defaultValue})`;
        const typed = (await terminal.question(`${text}${hint}: `, { signal })).trim() || (defaultValue ?? "");
        const value = choices.at(/^[1-9]\d?$/.test(typed) ? Number(typed) - 1 : choices.length)?.value ?? typed;
        const reason = validate(value);
        if (reason === undefined) return value;
        output.write(`It ${reason}.\n`);
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

function toBindError(path: string, rule: string, message: string): BindError {
  return new BindError([{ path, rule, message }]);
}

export function oneOf(allowed: readonly string[]): Prompt["validate"] {
  return (value) => (allowed.includes(value) ? undefined : `must be one of ${allowed.join(", ")}`);
}
