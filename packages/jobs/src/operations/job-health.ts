import { inject } from "@tenon/core";
import type { Metric } from "@tenon/core/platform";
import { Health } from "@tenon/data";
import { describeDuration } from "../describe-duration.ts";
import { JobSettings } from "../settings.ts";
import { JobStore } from "../store/job-store.ts";

/** The depths of the queues, and the readiness check "jobs" of a process that runs jobs: fails when one of its queues is stuck. */
export class JobHealth {
  readonly #store = inject(JobStore);
  readonly #settings = inject(JobSettings);
  readonly #health = inject(Health);

  /** Adds the check. Not done in other processes: a restart or a stop of the workers must not take them out of service. */
  watch(queues: readonly string[], freeFor: () => number): void {
    this.#health.add("jobs", () => this.#check(queues, freeFor()));
  }

  /** Found like `onStart()`, see `MetricSource`. */
  async readMetrics(): Promise<Metric[]> {
    const rows = await this.#store.depths();
    const values = rows.map(({ queue, state, count }) => ({ value: count, labels: { queue, state } }));
    const help = "Jobs that wait, run or are dead, in all processes; counts the first 1,000 of a state";
    return [{ name: "tenon_jobs", help, kind: "gauge", values }];
  }

  /**
   * Rejects when a job has been due for long in a queue that is not paused and in which no job runs, although this
   * process had a free place for all that time: one that is busy serves requests.
   */
  async #check(queues: readonly string[], freeFor: number): Promise<void> {
    for (const { queue, run_at, running, now } of await this.#store.heads(queues)) {
      const rate = this.#settings.queues.get(queue)?.rate;
      const longest = Math.max(this.#settings.stuckAfter, 2 * (rate?.per ?? 0));
      if (running > 0 || Math.min(now - run_at, freeFor) <= longest) continue;
      const age = describeDuration(now - run_at);
      throw new Error(`the queue "${queue}" is stuck: its next job has been due for ${age} and none runs`);
    }
  }
}
