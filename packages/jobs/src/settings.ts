import { type MiddlewareLike, token } from "@tenon/core";
import { checkNames, namesOf, refuseOption } from "@tenon/core/platform";
import type { Duration } from "./duration.ts";
import { checkQueueName, readDuration } from "./job-definition.ts";
import type { Schedule } from "./schedule.ts";

export interface QueueOptions {
  /** Jobs of this queue that one process runs at the same time. Defaults to the `concurrency` of the process. */
  readonly concurrency?: number;
  /** Jobs of this queue that all processes together start in one period: `{ limit: 10, per: "1s" }`. Defaults to no limit. */
  readonly rate?: { readonly limit: number; readonly per: Duration };
}

export interface JobsOptions {
  /** Whether an HTTP application runs jobs beside its requests. Defaults to true; with a `worker()` process, set it to false. */
  readonly inProcess?: boolean;
  /** Jobs that one process runs at the same time. Defaults to 10. */
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
  /** How long a job may be due in a queue where none runs before `/health/ready` reports it. Defaults to "5m". */
  readonly stuckAfter?: Duration;
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
}

export const JobSettings = token<JobSettings>("JobSettings");

const optionNames = namesOf<JobsOptions>({
  inProcess: true,
  concurrency: true,
  queues: true,
  schedules: true,
  middlewares: true,
  keep: true,
  lease: true,
  stuckAfter: true,
});
const queueNames = namesOf<QueueOptions>({ concurrency: true, rate: true });

export function toJobSettings(options: JobsOptions): JobSettings {
  checkNames("jobsModule()", options, optionNames);
  const { keep = {}, concurrency = 10 } = options;
  checkCount(concurrency, "concurrency of jobsModule()");
  const lease = readDuration(options.lease ?? "30s", "lease of jobsModule()");
  if (lease < 1000) refuseOption(`lease of jobsModule() is ${lease} ms. It takes at least "1s".`);
  return {
    inProcess: options.inProcess ?? true,
    concurrency,
    queues: new Map(Object.entries(options.queues ?? {}).map(([name, queue]) => [name, toQueueSettings(name, queue)])),
    schedules: options.schedules ?? [],
    middlewares: options.middlewares ?? [],
    keep: {
      done: readDuration(keep.done ?? "1d", "keep.done of jobsModule()"),
      dead: readDuration(keep.dead ?? "30d", "keep.dead of jobsModule()"),
    },
    lease,
    stuckAfter: readDuration(options.stuckAfter ?? "5m", "stuckAfter of jobsModule()"),
  };
}

function toQueueSettings(name: string, options: QueueOptions): QueueSettings {
  const taker = `queues.${name} of jobsModule()`;
  checkQueueName(name, "queues of jobsModule()");
  checkNames(taker, options, queueNames);
  const { concurrency, rate } = options;
  if (concurrency !== undefined) checkCount(concurrency, `${taker}: concurrency`);
  if (rate === undefined) return { concurrency, rate: undefined };
  checkCount(rate.limit, `${taker}: rate.limit`);
  const per = readDuration(rate.per, `${taker}: rate.per`);
  if (per < 1) refuseOption(`${taker}: rate.per is 0. It takes a period, for example "1s".`);
  return { concurrency, rate: { limit: rate.limit, per } };
}

export function checkCount(value: number, name: string): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= 10_000) return;
  refuseOption(`${name} is ${String(value)}. It takes a whole number from 1 to 10000.`);
}
