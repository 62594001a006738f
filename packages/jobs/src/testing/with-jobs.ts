import type { App, Schema } from "@tenon/core";
import { type BackgroundWork, backgroundWork } from "@tenon/core/platform";
import type { JobDefinition, JobInput } from "../job-definition.ts";
import type { JobRecord } from "../job-record.ts";
import { firstLine } from "../runner/error-text.ts";
import { JobRunner, type Ran } from "../runner/job-runner.ts";

export interface PendingJob<Input = unknown> extends Omit<JobRecord, "input"> {
  readonly input: Input;
}

export interface DrainOptions {
  /** Whether a job that fails is only reported, not thrown. For tests of retries. Defaults to false. */
  readonly allowFailures?: boolean;
}

/** The jobs that a drain has run, in that order, each as it is stored now. A retried one is there several times. */
export interface DrainReport {
  readonly done: readonly JobRecord[];
  readonly failed: readonly JobRecord[];
}

/** What a test does with jobs: `app.jobs`. */
export interface TestJobs {
  /** The jobs that wait, in the order in which they were enqueued: of one kind, or all. */
  pending<Input extends Schema>(job: JobDefinition<Input>): Promise<PendingJob<JobInput<Input>>[]>;
  pending(): Promise<PendingJob[]>;
  /** Runs the jobs that are due, and those that they enqueue, until none is due. Throws `JobsFailed` when one fails. */
  drain(options?: DrainOptions): Promise<DrainReport>;
  /** From now on `enqueue()` outside a transaction runs a due job before it returns, and throws what the job throws. */
  inline(): void;
}

/** Jobs that failed in `drain()` or inline. */
export class JobsFailed extends Error {
  override readonly name = "JobsFailed";
  readonly jobs: readonly JobRecord[];

  constructor(jobs: readonly JobRecord[]) {
    super(jobs.map(({ name, id, error }) => `job ${id} (${name}) failed: ${firstLine(error ?? "")}`).join("\n"));
    this.jobs = jobs;
  }
}

/** Adds `app.jobs` to a test application: `const app = withJobs(await createTestApp(AppModule, api()))`. */
export function withJobs<A extends App>(app: A): A & { readonly jobs: TestJobs } {
  const runners = workOf(app).filter((work) => work instanceof JobRunner);
  const [runner] = runners;
  if (runner === undefined) throw new Error("withJobs(): no module of this application imports jobsModule()");
  return Object.assign(app, { jobs: createTestJobs(runner) });
}

function workOf(app: App): readonly BackgroundWork[] {
  return (app as { readonly [backgroundWork]?: readonly BackgroundWork[] })[backgroundWork] ?? []; // createApp() sets it
}

function createTestJobs(runner: JobRunner): TestJobs {
  const list = async (name?: string): Promise<PendingJob[]> => {
    const options = { limit: 100_000, ...(name === undefined ? {} : { name }) };
    const queued = await runner.store.list({ ...options, state: "queued" });
    const scheduled = await runner.store.list({ ...options, state: "scheduled" });
    return [...queued, ...scheduled].sort((a, b) => a.id - b.id);
  };
  return {
    pending: (job?: JobDefinition) => list(job?.name) as Promise<PendingJob<never>[]>, // the schema has checked the input
    drain: async ({ allowFailures = false } = {}) => {
      const done: JobRecord[] = [];
      const failed: JobRecord[] = [];
      await runner.drain(({ job, outcome }) => (outcome.state === "done" ? done : failed).push(job));
      if (failed.length > 0 && !allowFailures) throw new JobsFailed(failed);
      return { done, failed };
    },
    inline: () => {
      runner.links.onInline = async (id) => throwFailed(await runner.runOne(id));
    },
  };
}

function throwFailed(ran: Ran | undefined): void {
  if (ran !== undefined && ran.outcome.state !== "done") throw new JobsFailed([ran.job]);
}
