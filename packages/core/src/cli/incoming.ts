import { BodyReader } from "../body/body-reader.ts";
import type { Progress } from "../request/context-state.ts";
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

  readBody(limit: number, timeout: number): Promise<Uint8Array> {
    const reader = new BodyReader(limit, timeout);
    const abort = () => reader.fail(this.signal.reason);
    if (this.signal.aborted) abort();
    this.signal.addEventListener("abort", abort, { once: true });
    void this.#feed(reader, limit).finally(() => this.signal.removeEventListener("abort", abort));
    return reader.result;
  }

  progress(total: number, label: string): Progress {
    const progress = new CommandProgress(total, label, this.#output);
    this.#shown.push(progress);
    return progress;
  }

  endProgress(): void {
    for (const progress of this.#shown) progress.close();
  }

  async #feed(reader: BodyReader, limit: number): Promise<void> {
    let size = 0;
    const stdin = this.#streams.stdin;
    reader.result.catch(() => stdin.destroy()); // too long, too slow or interrupted: open, it would keep the process alive
    try {
      for await (const chunk of stdin as AsyncIterable<string | Uint8Array>) {
        const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
        size += bytes.byteLength;
        if (size > limit) reader.fail(new HttpError(413, `standard input is longer than ${limit} bytes`));
        if (!reader.push(bytes)) return;
      }
      reader.end();
    } catch (error) {
      reader.fail(new HttpError(400, "standard input cannot be read", { cause: error }));
    }
  }
}
