import { statSync } from "node:fs";
import { extname } from "node:path";
import type { SQLInputValue } from "node:sqlite";
import { Worker } from "node:worker_threads";

export type CheckpointMessage = "checkpoint" | "close";

export interface CheckpointReport {
  /** The length of the write-ahead log. */
  readonly pages: number;
  /** Whether all of it has been copied, so that the next write restarts the log. */
  readonly complete: boolean;
}

export interface CheckpointEvents {
  /** Writers are so fast that the thread never copies the last page, without which the log does not restart. */
  readonly onLag: () => void;
  /** The thread cannot be started or has crashed. Called at most once. */
  readonly onFailure: (error: unknown) => void;
}

const page = 4096;
/** Bytes: 1,000 pages, at which SQLite itself would checkpoint. A smaller log is copied when the file is closed. */
const smallestLog = 1000 * page;
/** Bytes to which the log file is truncated when the log restarts. A commit that extends the file takes longer. */
export const largestLog = 4000 * page;
/** Pages from which a log that is never copied completely counts as lagging. */
const largeLog = 2000;
/** Milliseconds from a write to the next checkpoint, if fewer than `smallestLog` bytes were written. */
const maxDelay = 1000;
/** Bytes that a statement writes besides its values: the pages of the table and of its indexes. */
const pagesTouched = 4 * page;

/**
 * Copies the write-ahead log of an SQLite file into the file, on a thread that starts when the log first grows. On the
 * event loop a checkpoint would block every request, for longer the larger the file is.
 */
export class SqliteCheckpoints {
  readonly #path: string;
  readonly #events: CheckpointEvents;
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #ended = false;
  /** An estimate, in bytes. */
  #written = 0;

  constructor(path: string, events: CheckpointEvents) {
    this.#path = path;
    this.#events = events;
  }

  /** Called after each statement that may have written, with its parameters. */
  wrote(values: readonly SQLInputValue[]): void {
    this.#written += pagesTouched;
    for (const value of values) {
      if (typeof value === "string") this.#written += value.length;
      else if (ArrayBuffer.isView(value)) this.#written += value.byteLength;
    }
    this.#schedule();
  }

  /** Resolves when the thread has ended and its connection is closed. */
  async stop(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    const worker = this.#worker;
    if (worker === undefined) return;
    const exit = new Promise((resolve) => worker.once("exit", resolve));
    worker.ref(); // else the process could exit before the thread
    worker.postMessage("close" satisfies CheckpointMessage);
    await exit;
  }

  #schedule(): void {
    if (this.#ended || this.#running || this.#written === 0) return;
    if (this.#written >= smallestLog) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), maxDelay).unref();
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#written = 0;
    try {
      const size = statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
      if (size < smallestLog) return;
      this.#worker ??= this.#start();
      this.#running = true;
      this.#worker.postMessage("checkpoint" satisfies CheckpointMessage);
    } catch (error) {
      this.#fail(error); // rethrown, it would fail a statement that has been committed
    }
  }

  #start(): Worker {
    // .ts in the source, .js in the build
    const file = new URL(`./sqlite-checkpoint-worker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(file, {
      workerData: this.#path,
      // not the flags of the process: its --import modules are meant for the main thread
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    worker.unref();
    worker.on("message", ({ pages, complete }: CheckpointReport) => {
      this.#running = false;
      if (this.#ended) return;
      if (!complete && pages >= largeLog) this.#events.onLag();
      this.#schedule();
    });
    worker.once("error", (error) => this.#fail(error));
    worker.once("exit", () => {
      this.#worker = undefined;
    });
    return worker;
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#events.onFailure(error);
  }
}
