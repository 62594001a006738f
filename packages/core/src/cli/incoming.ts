import type { Progress } from "../request/context-types.ts";
import type { Incoming } from "../request/request.ts";
import { HttpError } from "../support/errors.ts";
import type { CommandCall } from "./invocation.ts";
import { CommandProgress, type ProgressOutput } from "./progress.ts";
import type { CommandStreams } from "./terminal.ts";

/** A command as the context sees it: flags are its query, standard input is its body. */
export class CommandIncoming implements Incoming {
  readonly isCommand = true;
  readonly method = "";
  readonly address = "";
  readonly peer = undefined;
  readonly protocol = "";
  readonly host = "";
  readonly path: string;
  readonly search: string;
  readonly fields: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
  readonly #streams: Pick<CommandStreams, "stdin">;
  readonly #output: ProgressOutput;
  readonly #shown: CommandProgress[] = [];

  /** `stdin` is opened only by a command that reads it: open, it would keep the process alive. */
  constructor(
    { path, search, fields }: CommandCall,
    streams: Pick<CommandStreams, "stdin">,
    signal: AbortSignal,
    output: ProgressOutput,
  ) {
    this.path = path;
    this.search = search;
    this.fields = fields;
    this.signal = signal;
    this.#streams = streams;
    this.#output = output;
  }

  header(): undefined {
    return undefined;
  }

  headers(): Record<string, string> {
    return Object.create(null);
  }

  async readBody(limit: number, timeout: number): Promise<Uint8Array> {
    const { stdin } = this.#streams;
    const late = new HttpError(408, "Request Timeout");
    const timer = setTimeout(() => stdin.destroy(late), timeout);
    const abort = () => stdin.destroy(this.signal.reason); // open, it would keep the process alive
    if (this.signal.aborted) abort();
    this.signal.addEventListener("abort", abort, { once: true });
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of stdin as AsyncIterable<string | Uint8Array>) {
        chunks.push(Buffer.from(chunk as string)); // bytes are taken too, by another overload
        size += Buffer.byteLength(chunk);
        if (size > limit) throw new HttpError(413, `standard input is longer than ${limit} bytes`);
      }
      return Buffer.concat(chunks);
    } catch (error) {
      if (error instanceof HttpError || error === this.signal.reason) throw error;
      throw new HttpError(400, "standard input cannot be read", { cause: error });
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener("abort", abort);
    }
  }

  progress(total: number, label: string): Progress {
    const progress = new CommandProgress(total, label, this.#output);
    this.#shown.push(progress);
    return progress;
  }

  endProgress(): void {
    for (const progress of this.#shown) progress.close();
  }
}
