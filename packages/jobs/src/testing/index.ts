export { JobsFailed, type TestJobs, withJobs } from "./with-jobs.ts";
