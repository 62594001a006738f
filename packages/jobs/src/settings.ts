import { type MiddlewareLike, type Module, token } from "@tenon/core";
import {
  checkOptions,
  type Duration,
  type Injectable,
  type OptionTable,
  parseDuration,
  takes,
} from "@tenon/core/internal";
import { queueCure, queueName } from "./job-definition.ts";
import type { Schedule } from "./schedule.ts";

export interface QueueOptions {
  /** Jobs of this queue that one process runs at the same time. Defaults to the `concurrency` of the process. */
  readonly concurrency?: number;
  /** Jobs of this queue that all processes together start in one period: `{ limit: 10, per: "1s" }`. Defaults to no limit. */
  readonly rate?: { readonly limit: number; readonly per: Duration };
}

export interface PlainJobsOptions {
  /** Whether an HTTP application runs jobs beside its requests. Defaults to true; with a `worker()` process, set it to false. */
  readonly inProcess?: boolean;
  /**
   * Jobs that one process runs at the same time. Up to half of the places are kept for queues of which no job runs.
   * Defaults to 5: half of the default pool of PostgreSQL.
   */
  readonly concurrency?: number;
  /** Queues that differ from the others, by name. */
  readonly queues?: Readonly<Record<string, QueueOptions>>;
  /** Schedules; modules may add more to `Schedules`. */
  readonly schedules?: readonly Schedule[];
  /** Middlewares around every job, before those of its groups and its own. Defaults to none. */
  readonly middlewares?: readonly MiddlewareLike[];
  /** How long finished jobs are kept. `done` defaults to "1d", also for cancelled jobs; `dead` to "30d". */
  readonly keep?: { readonly done?: Duration; readonly dead?: Duration };
  /**
   * How long after its process has last renewed the lease a job is started elsewhere. A process whose event loop is
   * blocked for longer loses its jobs. Defaults to "30s".
   */
  readonly lease?: Duration;
  /** How long a job may be due in a queue where none runs, in a process with a free place, before `/health/ready` reports it. Defaults to "5m". */
  readonly stuckAfter?: Duration;
  /**
   * How often a worker without work looks for jobs, in case it has not heard of one. Defaults to "2s" on PostgreSQL and
   * "30s" on SQLite, where it also watches the file.
   */
  readonly pollInterval?: Duration;
}

/** Each option but `imports` is a value, or a function that returns it and may `inject()` what `imports` export. */
export interface JobsOptions<Imports extends readonly Module[] = readonly Module[]>
  extends Injectable<PlainJobsOptions> {
  /** What the options inject: `[ConfigModule]`. Defaults to none. */
  readonly imports?: Imports;
}

export interface QueueSettings {
  readonly concurrency: number | undefined;
  readonly rate: { readonly limit: number; readonly per: number } | undefined;
}

export interface JobSettings {
  readonly inProcess: boolean;
  readonly concurrency: number;
  readonly queues: ReadonlyMap<string, QueueSettings>;
  readonly schedules: readonly Schedule[];
  readonly middlewares: readonly MiddlewareLike[];
  readonly keep: { readonly done: number; readonly dead: number };
  readonly lease: number;
  readonly stuckAfter: number;
  /** Undefined for the default of the database. */
  readonly pollInterval: number | undefined;
}

export const JobSettings = token<JobSettings>("jobsModule()");

/** Jobs at a time. */
export const count = takes.wholeNumber(1, 10_000);
const queueTable: OptionTable<QueueOptions> = {
  concurrency: count,
  rate: { limit: count, per: takes.duration(1) },
};

const badName = () => `has an invalid name. ${queueCure}`;

export function toJobSettings(options: PlainJobsOptions): JobSettings {
  const { keep = {}, concurrency = 5, queues = {} } = options;
  const names = Object.keys(queues);
  checkOptions("jobsModule()", options, {
    inProcess: true,
    concurrency: count,
    queues: Object.fromEntries(names.map((name) => [name, queueName.test(name) ? queueTable : badName])),
    schedules: true,
    middlewares: true,
    keep: { done: takes.duration(), dead: takes.duration() },
    lease: takes.duration(1000),
    stuckAfter: takes.duration(),
    pollInterval: takes.duration(1),
  });
  return {
    inProcess: options.inProcess ?? true,
    concurrency,
    queues: new Map(Object.entries(queues).map(([name, queue]) => [name, toQueueSettings(queue)])),
    schedules: options.schedules ?? [],
    middlewares: options.middlewares ?? [],
    keep: { done: parseDuration(keep.done ?? "1d"), dead: parseDuration(keep.dead ?? "30d") },
    lease: parseDuration(options.lease ?? "30s"),
    stuckAfter: parseDuration(options.stuckAfter ?? "5m"),
    pollInterval: options.pollInterval === undefined ? undefined : parseDuration(options.pollInterval),
  };
}

function toQueueSettings({ concurrency, rate }: QueueOptions): QueueSettings {
  return { concurrency, rate: rate && { limit: rate.limit, per: parseDuration(rate.per) } };
}
