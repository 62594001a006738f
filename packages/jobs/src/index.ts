export type { Duration } from "./duration.ts";
export { JobCommands } from "./job.commands.ts";
export { job } from "./job.ts";
export { JobClock } from "./job-clock.ts";
export {
  type Backoff,
  defineJob,
  type JobDefinition,
  type JobInput,
  type JobOptions,
  type JobValue,
} from "./job-definition.ts";
export { type JobProgress, type JobRecord, type JobState, jobStates } from "./job-record.ts";
export type { RunningJob } from "./job-signals.ts";
export { type Enqueued, type EnqueueManyOptions, type JobCount, Jobs } from "./jobs.ts";
export { jobsModule } from "./jobs-module.ts";
export type { EnqueueOptions } from "./new-jobs.ts";
export { type Schedule, type ScheduleOptions, schedule } from "./schedule.ts";
export { Schedules } from "./schedules.ts";
export type { JobsOptions, QueueOptions } from "./settings.ts";
export type { Carrier, EnqueueSignal, JobSignal } from "./signals.ts";
export type { ListOptions } from "./store/job-store.ts";
export type { Executor } from "./store/statement.ts";
export { UnrecoverableError } from "./unrecoverable-error.ts";
export { type WorkerMethods, type WorkerOptions, worker } from "./worker.ts";
