import type { Readable, Writable } from "node:stream";
import { paint } from "../log/log-pretty.ts";
import { type LayoutOptions, layOut } from "./layout.ts";
import type { ProgressOutput } from "./progress.ts";
import { toOneLine } from "./text.ts";

/** A stream to write to, which may be a terminal. */
export type TerminalStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Where a command reads and writes. */
export interface CommandStreams {
  readonly stdin: Readable;
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream;
  /** Becomes `ctx.signal`. */
  readonly signal?: AbortSignal;
}

const defaultWidth = 80;

/** The two outputs of one command: results go to standard output, everything else to standard error. */
export class Terminal {
  readonly out: Sink;
  readonly outLayout: LayoutOptions;
  readonly errLayout: LayoutOptions;
  readonly progress: ProgressOutput;
  readonly #err: Sink;
  readonly #name: string;

  /** `name`: of the program. `color`: whether colours are written; undefined for terminals only. */
  constructor({ stdout, stderr }: Pick<CommandStreams, "stdout" | "stderr">, name: string, color?: boolean) {
    this.out = new Sink(stdout);
    this.#err = new Sink(stderr);
    this.#name = name;
    this.outLayout = toLayoutOptions(stdout, color);
    this.errLayout = toLayoutOptions(stderr, color);
    this.progress = {
      write: (text) => void this.say(text),
      isTerminal: stderr.isTTY === true,
      width: stderr.columns || defaultWidth,
    };
  }

  async print(value: unknown): Promise<void> {
    await this.out.write(layOut(value, this.outLayout));
  }

  /** One line: `blog: unknown command "pots"`. */
  complain(message: string): Promise<void> {
    return this.say(`${paint("red", `${this.#name}:`, this.errLayout.color)} ${toOneLine(message)}\n`);
  }

  /** Never rejects: a command does not fail because its standard error is closed. */
  async say(text: string): Promise<void> {
    await this.#err.write(text).catch(() => {});
  }

  release(): void {
    this.out.release();
    this.#err.release();
  }
}

/** A stream of text that is written no faster than it is read. */
export class Sink {
  readonly #stream: Writable;
  #broken = false;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on("error", ignore); // write() reports each error; without a listener the event would crash the process
  }

  /** False when the reader has closed the output, as `| head` does: no error, and no more output is wanted. */
  write(chunk: string | Uint8Array): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#stream.write(chunk, (error) => {
        if (error === null || error === undefined) return resolve(true);
        this.#broken = true;
        return "code" in error && error.code === "EPIPE" ? resolve(false) : reject(error);
      });
    });
  }

  /** A broken stream keeps its listener: it may emit the error after the write has failed. */
  release(): void {
    if (!this.#broken) this.#stream.off("error", ignore);
  }
}

function toLayoutOptions({ isTTY = false, columns }: TerminalStream, color = isTTY): LayoutOptions {
  return { color, width: isTTY ? columns || defaultWidth : Number.POSITIVE_INFINITY };
}

function ignore(): void {}
