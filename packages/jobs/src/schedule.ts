import type { Schema } from "@tenon/core";
import { checkNames, namesOf, refuseOption } from "@tenon/core/platform";
import { Cron } from "croner";
import { parseDuration } from "./duration.ts";
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

const optionNames = namesOf<ScheduleOptions>({ timezone: true, missed: true, input: true, name: true });

/**
 * Enqueues a job at every tick of a cron pattern (`"0 3 * * *"`, with seconds `"*\/10 * * * * *"`) or of a period
 * (`"every 5m"`, counted from 1970), once for all processes.
 */
export function schedule<Input extends Schema>(
  pattern: string,
  job: JobDefinition<Input>,
  options: ScheduleOptions<JobInput<Input>> = {},
): Schedule {
  const { timezone = "UTC", missed = "once", name = job.name } = options;
  const taker = `schedule("${pattern}", "${job.name}")`;
  checkNames(taker, options, optionNames);
  if (missed !== "once" && missed !== "skip") refuseOption(`${taker}: missed is "${missed}". Use "once" or "skip".`);
  return {
    name,
    pattern,
    timezone,
    missed,
    job,
    input: options.input ?? {},
    nextAfter: toTicks(pattern, timezone, taker),
  };
}

function toTicks(pattern: string, timezone: string, taker: string): Schedule["nextAfter"] {
  const [, period] = /^every (.+)$/.exec(pattern) ?? [];
  try {
    if (period !== undefined) {
      const milliseconds = parseDuration(period as "1s", "the period"); // parseDuration checks it
      if (milliseconds < 1) throw new RangeError("the period is 0");
      return (time) => (Math.floor(time / milliseconds) + 1) * milliseconds;
    }
    const cron = new Cron(pattern, { timezone, paused: true });
    cron.nextRun(); // checks the time zone
    return (time) => cron.nextRun(new Date(time))?.getTime();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return refuseOption(`${taker} cannot be read: ${reason}. Write a cron pattern such as "0 3 * * *", or "every 5m".`);
  }
}
