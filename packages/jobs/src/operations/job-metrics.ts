import { inject } from "@tenon/core";
import type { Metric } from "@tenon/core/platform";
import { JobStore } from "../store/job-store.ts";

/** The depths of the queues, for the metrics of the application. */
export class JobMetrics {
  readonly #store = inject(JobStore);

  /** Found like `onStart()`, see `MetricSource`. */
  async readMetrics(): Promise<Metric[]> {
    const rows = await this.#store.depths();
    const values = rows.map(({ queue, state, count }) => ({ value: count, labels: { queue, state } }));
    return [
      {
        name: "tenon_jobs",
        help: "Jobs that wait, run or are dead, in all processes; counts the first 1,000 of a state",
        kind: "gauge",
        values,
      },
    ];
  }
}
