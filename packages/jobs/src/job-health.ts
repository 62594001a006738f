import { inject } from "@tenon/core";
import { Health } from "@tenon/data";
import { describeDuration } from "./duration.ts";
import { JobExecutor } from "./runner/job-executor.ts";
import { JobSettings } from "./settings.ts";
import { JobStore } from "./store/job-store.ts";

/** The readiness check "jobs": fails when a queue is stuck. */
export class JobHealth {
  readonly #store = inject(JobStore);
  readonly #settings = inject(JobSettings);
  readonly #executor = inject(JobExecutor);

  constructor() {
    inject(Health).add("jobs", () => this.check());
  }

  /** Rejects when a job has been due for long in a queue that is not paused and in which no job runs. */
  async check(): Promise<void> {
    for (const { queue, run_at, running, now } of await this.#store.heads(this.#executor.queues)) {
      const rate = this.#settings.queues.get(queue)?.rate;
      const longest = Math.max(this.#settings.stuckAfter, 2 * (rate?.per ?? 0));
      if (running > 0 || now - run_at <= longest) continue;
      const age = describeDuration(now - run_at);
      throw new Error(`the queue "${queue}" is stuck: its next job has been due for ${age} and none runs`);
    }
  }
}
