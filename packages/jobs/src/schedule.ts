import type { Schema } from "@tenon/core";
import { checkOptions, parseDuration, refuseOption } from "@tenon/core/internal";
import { Cron } from "croner";
import type { JobDefinition, JobInput } from "./job-definition.ts";

export interface ScheduleOptions<Input = unknown> {
  /** An IANA name: "Europe/Berlin". Defaults to "UTC". */
  readonly timezone?: string;
  /**
   * What happens to ticks that were missed because no process ran, when they are more than a minute late: "once" runs
   * the job once for all of them, "skip" does not run it. Defaults to "once".
   */
  readonly missed?: "once" | "skip";
  /** What each job is given. Defaults to {}. */
  readonly input?: Input;
  /** Identifies the schedule in the database. Defaults to the name of the job; give one when a job has several schedules. */
  readonly name?: string;
}

/** When a job is enqueued again and again: `schedule()`. */
export interface Schedule {
  readonly name: string;
  /** As it was declared. */
  readonly pattern: string;
  readonly timezone: string;
  readonly missed: "once" | "skip";
  readonly job: JobDefinition;
  readonly input: unknown;
  /** The first tick after a time, both in milliseconds since 1970; undefined when there is none. */
  readonly nextAfter: (time: number) => number | undefined;
}

/**
 * Enqueues a job at every tick of a cron pattern (`"0 3 * * *"`, with seconds `"*\/10 * * * * *"`) or of a period
 * (`"every 5m"`, counted from 1970), once for all processes.
 */
export function schedule<Input extends Schema>(
  pattern: string,
  job: JobDefinition<Input>,
  options: ScheduleOptions<JobInput<Input>> = {},
): Schedule {
  const owner = `schedule("${pattern}", "${job.name}")`;
  checkOptions(owner, options, { timezone: true, missed: true, input: true, name: true });
  const { timezone = "UTC", missed = "once", name = job.name } = options;
  return {
    name,
    pattern,
    timezone,
    missed,
    job,
    input: options.input ?? {},
    nextAfter: toTicks(pattern, timezone, owner),
  };
}

function toTicks(pattern: string, timezone: string, owner: string): Schedule["nextAfter"] {
  const [, period] = /^every (.+)$/.exec(pattern) ?? [];
  try {
    if (period !== undefined) {
      const milliseconds = parseDuration(period as "1s", "the period"); // parseDuration checks it
      if (milliseconds < 1) throw new RangeError("the period is 0");
      return (time) => (Math.floor(time / milliseconds) + 1) * milliseconds;
    }
    const cron = new Cron(pattern, { timezone, paused: true });
    if (cron.nextRun() === null) throw new RangeError("it never ticks"); // also checks the time zone
    return (time) => cron.nextRun(new Date(time))?.getTime();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return refuseOption(`${owner} cannot be read: ${reason}. Write a cron pattern such as "0 3 * * *", or "every 5m".`);
  }
}
