import type { Context } from "@tenon/core";
import type { Incoming } from "@tenon/core/platform";
import type { JobProgress, JobRow } from "../job-record.ts";

/** One attempt of a job while it runs. */
export class JobRun {
  readonly row: JobRow;
  readonly controller = new AbortController();
  /** Whether the handler has ended. */
  ended = false;
  /** Whether the job was given back while the handler ran: what it returns is not used. */
  released = false;
  /** Why the attempt has failed. */
  error: unknown;
  readonly #onProgress: (run: JobRun) => void;
  /** What the handler has reported. */
  progress: JobProgress | undefined;

  constructor(row: JobRow, onProgress: (run: JobRun) => void = () => {}) {
    this.row = row;
    this.#onProgress = onProgress;
  }

  get id(): number {
    return this.row.id;
  }

  get claim(): number {
    return this.row.claim;
  }

  startProgress(total: number, label: string): ReturnType<Context["progress"]> {
    const report = (done: number) => {
      this.progress = { done, total, label };
      this.#onProgress(this);
    };
    let steps = 0;
    report(steps);
    return {
      advance: (by = 1) => {
        steps = Math.min(total, steps + by);
        report(steps);
      },
      done: () => {},
    };
  }
}

/** A job as the context sees it: its input is the body. */
export class JobIncoming implements Incoming {
  readonly id: string;
  readonly isCommand = true;
  readonly method = "";
  readonly search = "";
  readonly address = "";
  readonly peer = undefined;
  readonly protocol = "";
  readonly host = "";
  readonly path: string;
  readonly run: JobRun;

  constructor(path: string, run: JobRun) {
    this.id = `job-${run.id}.${run.claim}`;
    this.path = path;
    this.run = run;
  }

  get signal(): AbortSignal {
    return this.run.controller.signal;
  }

  header(name: string): string | undefined {
    return name === "content-type" ? "application/json" : undefined;
  }

  headers(): Record<string, string> {
    return Object.assign(Object.create(null), { "content-type": "application/json" });
  }

  readBody(): Promise<Uint8Array> {
    return Promise.resolve(Buffer.from(this.run.row.input));
  }
}
