import { defineModule, type Module, provide } from "@tenon/core";
import { type ConfigIn, resolveOptions } from "@tenon/core/internal";
import { JobLinks } from "./job-links.ts";
import { JobSchema } from "./job-schema.ts";
import { Jobs } from "./jobs.ts";
import { JobPanels } from "./operations/dev-panel.ts";
import { JobHealth } from "./operations/job-health.ts";
import { JobExecutor } from "./runner/job-executor.ts";
import { JobRunner } from "./runner/job-runner.ts";
import { Schedules } from "./schedules.ts";
import { JobSettings, type JobsOptions, type PlainJobsOptions, toJobSettings } from "./settings.ts";
import { JobStore } from "./store/job-store.ts";

/**
 * Jobs and schedules on the database of the given data module. Exports `Jobs` and `Schedules`. An HTTP application runs
 * the jobs itself, unless `inProcess` is false.
 */
export function jobsModule<Data extends Module, const Imports extends readonly Module[] = []>(
  data: Data,
  options: JobsOptions<Imports> = {},
): Module<ConfigIn<[Data, ...Imports]>> {
  return defineModule({
    name: "jobs",
    imports: [data, ...(options?.imports ?? [])],
    declarations: [
      provide(JobSettings, () => toJobSettings(resolveOptions<PlainJobsOptions>(options))),
      JobSchema,
      JobLinks,
      JobStore,
      Jobs,
      Schedules,
      JobExecutor,
      JobRunner,
      JobHealth,
      JobPanels,
    ],
    exports: [Jobs, Schedules, JobLinks],
  });
}
