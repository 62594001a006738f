import type { Log } from "@tenon/core";
import type { JobStore } from "../store/job-store.ts";
import type { JobRun } from "./job-incoming.ts";

/** Milliseconds between reports of progress. */
const progressInterval = 500;

/** Keeps the running jobs of one process: renews their leases in one statement, and saves what they report. */
export class Leases {
  readonly #store: JobStore;
  readonly #log: Log;
  readonly #lease: number;
  readonly #runs = new Map<number, JobRun>();
  readonly #reported = new Set<JobRun>();
  #timer: NodeJS.Timeout | undefined;
  #progressTimer: NodeJS.Timeout | undefined;

  constructor(store: JobStore, log: Log, lease: number) {
    this.#store = store;
    this.#log = log;
    this.#lease = lease;
  }

  get runs(): readonly JobRun[] {
    return [...this.#runs.values()];
  }

  /** Aborts an earlier run of the same job: another process has cancelled and retried it, or its lease has ended. */
  add(run: JobRun): void {
    this.#runs.get(run.id)?.controller.abort(new Error("the job was started again"));
    this.#runs.set(run.id, run);
    this.#timer ??= this.#schedule();
  }

  /** A later run of the same job stays. */
  delete(run: JobRun): void {
    if (this.#runs.get(run.id) === run) this.#runs.delete(run.id);
    this.#reported.delete(run);
  }

  /** Aborts a run whose job was cancelled here. */
  cancel(id: number): void {
    this.#runs.get(id)?.controller.abort(new Error("the job was cancelled"));
  }

  /** Saves the progress of a run soon, together with that of others. */
  report(run: JobRun): void {
    this.#reported.add(run);
    this.#progressTimer ??= setTimeout(() => {
      this.#progressTimer = undefined;
      void this.#saveProgress();
    }, progressInterval);
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#progressTimer);
  }

  /** Four times in a lease, so that a slow store or a missed renewal does not lose it. */
  #schedule(): NodeJS.Timeout {
    return setTimeout(async () => {
      await this.renew();
      this.#timer = this.#runs.size === 0 ? undefined : this.#schedule();
    }, this.#lease / 4);
  }

  /** False when the store did not respond: nothing is known about the leases. */
  async renew(): Promise<boolean> {
    const runs = this.runs;
    if (runs.length === 0) return true;
    try {
      const held = await this.#store.renew(runs, this.#lease);
      for (const run of runs) {
        if (held.has(run.id) || run.ended || run.controller.signal.aborted) continue;
        this.#log.warn({ job: run.id }, `${run.row.name}: cancelled, or started elsewhere because its lease had ended`);
        run.controller.abort(new Error("the job was cancelled, or its lease has ended"));
      }
      return true;
    } catch (error) {
      this.#log.warn({ err: error }, "the leases of running jobs cannot be renewed: trying again");
      return false;
    }
  }

  async #saveProgress(): Promise<void> {
    const list = [...this.#reported].map(({ id, claim, progress }) => ({
      id,
      claim,
      progress: JSON.stringify(progress),
    }));
    this.#reported.clear();
    if (list.length === 0) return;
    try {
      await this.#store.saveProgress(list);
    } catch (error) {
      this.#log.debug({ err: error }, "the progress of jobs cannot be saved");
    }
  }
}
