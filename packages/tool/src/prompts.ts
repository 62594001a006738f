import type { Readable, Writable } from "node:stream";
import { BindError, type Context } from "@tenon/core";

export interface Prompt {
  /** The flag that gives the same value. */
  readonly flag: string;
  readonly text: string;
  readonly defaultValue?: string;
  /** Shown as a list to select from. */
  readonly choices?: readonly Choice[];
  /** The reason why a value is refused; undefined for a valid one. */
  readonly validate: (value: string) => string | undefined;
}

export interface Choice {
  readonly value: string;
  readonly hint: string;
}

export interface PromptTerminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean; columns?: number; rows?: number };
  /** Whether the run is one of continuous integration, which has no keyboard. */
  readonly isCI: boolean;
  /** Does what Ctrl-C does outside of a prompt: there the terminal is in raw mode, and sends no signal. */
  readonly interrupt: () => void;
}

/** Prompts at a terminal for the values that no flag gives. */
export class Prompts {
  readonly #terminal: () => PromptTerminal;

  /** The terminal is opened only for a prompt: an open standard input would keep the process alive. */
  constructor(terminal: () => PromptTerminal = openTerminal) {
    this.#terminal = terminal;
  }

  isTerminal(): boolean {
    const { input, output, isCI } = this.#terminal();
    return input.isTTY === true && output.isTTY === true && !isCI;
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

  /** Asks until the value is valid. Ctrl-C, Ctrl-D and Escape interrupt the command. */
  async ask(prompt: Prompt, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const terminal = this.#terminal();
    const { input, output } = terminal;
    // a terminal without a size, such as that of `docker exec -t`: each line would be one character wide
    if (output.columns === 0) Object.assign(output, { columns: 80, rows: 24 });
    const { isCancel, select, text } = await import("@clack/prompts"); // most commands show no prompt
    const end = new AbortController(); // of this prompt only: the library listens to it for ever
    const onAbort = () => end.abort();
    // readline closes at Ctrl-D, and the prompt would wait for ever
    const onKey = (_: unknown, key: Key) => void (key.ctrl === true && key.name === "d" && end.abort());
    signal.addEventListener("abort", onAbort);
    input.on("keypress", onKey);
    const shown = { message: prompt.text, input, output, signal: end.signal };
    const { choices = [], defaultValue } = prompt;
    const options = choices.map(({ value, hint }) => ({ value, label: value, hint }));
    const given = defaultValue === undefined ? {} : { initialValue: defaultValue };
    const hint = defaultValue === undefined ? {} : { placeholder: defaultValue };
    const value =
      choices.length > 0
        ? await select({ ...shown, options, ...given })
        : await text({ ...shown, ...hint, validate: (typed) => explain(prompt, typed) });
    input.off("keypress", onKey);
    signal.removeEventListener("abort", onAbort);
    if (!isCancel(value)) return read(prompt, value);
    signal.throwIfAborted(); // by a signal of another process
    output.write("tenon: interrupted, nothing was written\n");
    terminal.interrupt();
    throw new DOMException("interrupted", "AbortError"); // the user is shown no error after an interruption
  }
}

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

function openTerminal(): PromptTerminal {
  // biome-ignore lint/style/noProcessEnv: continuous integration is known by this variable only
  const { CI = "" } = process.env;
  return {
    input: process.stdin,
    output: process.stderr,
    isCI: !["", "0", "false"].includes(CI),
    interrupt: () => process.emit("SIGINT", "SIGINT"),
  };
}

/** An empty line selects the default. */
function read({ defaultValue = "" }: Prompt, typed: string | undefined): string {
  return typed?.trim() || defaultValue;
}

function explain(prompt: Prompt, typed: string | undefined): string | undefined {
  const reason = prompt.validate(read(prompt, typed));
  return reason === undefined ? undefined : `It ${reason}`;
}

function toBindError(path: string, rule: string, message: string): BindError {
  return new BindError([{ path, rule, message }]);
}

export function oneOf(allowed: readonly string[]): Prompt["validate"] {
  return (value) => (allowed.includes(value) ? undefined : `must be one of ${allowed.join(", ")}`);
}
