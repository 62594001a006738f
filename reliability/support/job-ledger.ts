import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs";

/** `enqueued`: acknowledged to the caller. */
export type JobEvent = "enqueued" | "started" | "finished" | "failed" | "aborted";

export interface LedgerEntry {
  readonly event: JobEvent;
  readonly job: number;
  readonly process: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What happened to jobs, in a file that is independent of the store: what was written survives kill -9 of the writer. */
export class JobLedger {
  readonly #file: string;
  #descriptor: number | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  write(event: JobEvent, job: number): void {
    this.#descriptor ??= openSync(this.#file, "a");
    writeSync(this.#descriptor, `${event} ${job} ${process.pid} ${Date.now()}\n`); // one write: lines never mix
  }

  read(): LedgerEntry[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => {
      const [event = "", job, pid, at] = line.split(" ");
      return { event: event as JobEvent, job: Number(job), process: Number(pid), at: Number(at) }; // as written above
    });
  }

  jobs(event: JobEvent): Set<number> {
    return new Set(
      this.read()
        .filter((entry) => entry.event === event)
        .map(({ job }) => job),
    );
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
