import type { Readable, Writable } from "node:stream";
import { layOut } from "./layout.ts";
import { createPaint, type Paint } from "./paint.ts";
import type { ProgressOutput } from "./progress.ts";
import { Sink } from "./sink.ts";
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

/** The two outputs of one command: results go to the one, and all that is said about them to the other. */
export class Terminal {
  readonly out: Sink;
  readonly outPaint: Paint;
  readonly errPaint: Paint;
  readonly progress: ProgressOutput;
  readonly #err: Sink;
  readonly #width: number;

  constructor({ stdout, stderr }: Pick<CommandStreams, "stdout" | "stderr">, options: { readonly color: boolean }) {
    this.out = new Sink(stdout);
    this.#err = new Sink(stderr);
    this.outPaint = createPaint(options.color && stdout.isTTY === true);
    this.errPaint = createPaint(options.color && stderr.isTTY === true);
    this.#width = stdout.isTTY === true ? stdout.columns || defaultWidth : Number.POSITIVE_INFINITY;
    this.progress = {
      write: (text) => void this.say(text),
      isTerminal: stderr.isTTY === true,
      width: stderr.columns || defaultWidth,
      now: () => performance.now(),
    };
  }

  async print(value: unknown): Promise<void> {
    await this.out.write(layOut(value, { width: this.#width, paint: this.outPaint }));
  }

  /** One line: `blog: unknown command "pots"`. */
  complain(name: string, message: string): Promise<void> {
    return this.say(`${this.errPaint.red(`${name}:`)} ${toOneLine(message)}\n`);
  }

  /** Whether or not anybody reads it: a command does not fail because nobody watches. */
  async say(text: string): Promise<void> {
    await this.#err.write(text).catch(() => {});
  }

  release(): void {
    this.out.release();
    this.#err.release();
  }
}
