export { FakeJobClock, useJobClock } from "./fake-job-clock.ts";
export {
  type DrainOptions,
  type DrainReport,
  JobsFailed,
  type PendingJob,
  type TestJobs,
  withJobs,
} from "./with-jobs.ts";
