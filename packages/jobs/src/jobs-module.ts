import { defineModule, type Module, provide } from "@tenon/core";
import { JobPanels } from "./dev-panel.ts";
import { JobClock } from "./job-clock.ts";
import { JobHealth } from "./job-health.ts";
import { JobMetrics } from "./job-metrics.ts";
import { JobSchema } from "./job-schema.ts";
import { JobSignals } from "./job-signals.ts";
import { Jobs } from "./jobs.ts";
import { JobExecutor } from "./runner/job-executor.ts";
import { JobRunner } from "./runner/job-runner.ts";
import { Schedules } from "./schedules.ts";
import { JobSettings, type JobsOptions, toJobSettings } from "./settings.ts";
import { JobStore } from "./store/job-store.ts";

/**
 * Jobs and schedules on the database of the given data module. Exports `Jobs` and `Schedules`. An HTTP application runs
 * the jobs itself, unless `inProcess` is false.
 */
export function jobsModule(data: Module, options: JobsOptions = {}): Module {
  return defineModule({
    name: "jobs",
    imports: [data],
    declarations: [
      provide(JobSettings, () => toJobSettings(options)),
      JobSchema,
      JobClock,
      JobSignals,
      JobStore,
      Jobs,
      Schedules,
      JobExecutor,
      JobRunner,
      JobHealth,
      JobMetrics,
      JobPanels,
    ],
    exports: [Jobs, Schedules, JobSignals],
  });
}
