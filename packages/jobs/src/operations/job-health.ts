import { inject } from "@tenon/core";
import { describeDuration } from "@tenon/core/internal";
import { Health } from "@tenon/data";
import { JobSettings } from "../settings.ts";
import { JobStore } from "../store/job-store.ts";

/** The readiness check "jobs" of a process that runs jobs: fails when one of its queues is stuck. */
export class JobHealth {
  readonly #store = inject(JobStore);
  readonly #settings = inject(JobSettings);
  readonly #health = inject(Health);

  /** Adds the check. Not done in other processes: a restart or a stop of the workers must not take them out of service. */
  watch(queues: readonly string[]): void {
    this.#health.add("jobs", () => this.#check(queues));
  }

  /** Rejects when a job has been due for long in a queue that is not paused and in which no job runs. */
  async #check(queues: readonly string[]): Promise<void> {
    for (const { queue, run_at, running, now } of await this.#store.heads(queues)) {
      const rate = this.#settings.queues.get(queue)?.rate;
      const longest = Math.max(this.#settings.stuckAfter, 2 * (rate?.per ?? 0));
      if (running > 0 || now - run_at <= longest) continue;
      const age = describeDuration(now - run_at);
      throw new Error(`the queue "${queue}" is stuck: its next job has been due for ${age} and none runs`);
    }
  }
}
