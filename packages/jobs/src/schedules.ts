import { Clock, inject, Log, type Problem, StartError } from "@tenon/core";
import { describeDuration } from "./describe-duration.ts";
import { toNewJobs, toStoredInput } from "./new-jobs.ts";
import type { Schedule } from "./schedule.ts";
import { JobSettings } from "./settings.ts";
import { JobStore } from "./store/job-store.ts";

/** Milliseconds by which a tick may be late and still be enqueued by itself. Older ones were missed. */
const grace = 60_000;
/** Milliseconds that the last tick may be in the future: a clock that is set right may move back a little. */
const mostAhead = 60_000;
/** Milliseconds after which the ticks are read again, in case the clock of the store was set back. */
const readInterval = 60_000;
/** Ticks that one transaction enqueues. */
const largestBatch = 1000;

/** The schedules of an application. A module adds its own in a constructor: `inject(Schedules).add(schedule(…))`. */
export class Schedules {
  readonly #store = inject(JobStore);
  readonly #clock = inject(Clock);
  readonly #log = inject(Log);
  readonly #list: Schedule[] = [...inject(JobSettings).schedules];
  #nextTick: number | undefined;
  #readAt = 0;
  #registered: Promise<void> | undefined;

  add(...schedules: readonly Schedule[]): void {
    this.#list.push(...schedules);
  }

  get all(): readonly Schedule[] {
    return this.#list;
  }

  /** Makes the schedules known to the database. Throws when two have the same name or an input is invalid. */
  register(): Promise<void> {
    this.#registered ??= this.#register().catch((error: unknown) => {
      this.#registered = undefined;
      throw error;
    });
    return this.#registered;
  }

  /** When the next tick is due, in milliseconds since 1970 by the clock of this process; undefined before `register()`. */
  get nextTick(): number | undefined {
    return this.#nextTick;
  }

  /** Enqueues what is due. Returns whether this process has enqueued anything. */
  async tick(): Promise<boolean> {
    if (this.#list.length === 0) return false;
    await this.register();
    const time = this.#clock.now();
    const isRecent = time >= this.#readAt && time - this.#readAt < readInterval; // else a clock may have been set back
    if (isRecent && (this.#nextTick ?? Number.POSITIVE_INFINITY) > time) return false;
    let added = false;
    const { now, lastTicks } = await this.#store.readSchedules();
    for (const schedule of this.#list) {
      const last = lastTicks.get(schedule.name);
      if (last === undefined) continue;
      if (last > now + mostAhead) {
        await this.#restart(schedule, last, now);
        continue;
      }
      const { tick, count } = findTicks(schedule, last, now);
      if (tick === last) continue;
      const input = await toStoredInput(schedule.job, schedule.input);
      const inputs = Array.from({ length: count }, () => input);
      const moved = await this.#store.tick(schedule.name, last, tick, toNewJobs(schedule.job, {}), inputs);
      added ||= moved && count > 0;
    }
    await this.#findNextTick(); // another process may have been first
    return added;
  }

  /** A schedule that a wrong clock has moved into the future would not tick until then. */
  async #restart({ name, job }: Schedule, last: number, now: number): Promise<void> {
    if (!(await this.#store.tick(name, last, now, toNewJobs(job, {}), []))) return; // another process was first
    const ahead = `its last tick was ${describeDuration(last - now)} ahead of the clock`;
    this.#log.warn(`schedule "${name}" begins again: ${ahead}, which has been set back`);
  }

  async #findNextTick(): Promise<void> {
    const { now, lastTicks } = await this.#store.readSchedules();
    this.#readAt = this.#clock.now();
    const ahead = this.#readAt - now;
    const ticks = this.#list.flatMap(({ name, nextAfter }) => {
      const last = lastTicks.get(name);
      return last === undefined ? [] : last > now + mostAhead ? now : (nextAfter(last) ?? []);
    });
    this.#nextTick = ticks.length === 0 ? undefined : Math.min(...ticks) + ahead;
  }

  async #register(): Promise<void> {
    const problems: Problem[] = [];
    const names = new Set<string>();
    for (const { name, pattern, job, input } of this.#list) {
      const report = (message: string) => problems.push({ code: "BAD_OPTION", message });
      if (names.has(name))
        report(`Two schedules are named "${name}". Give one of them another name: schedule(…, { name }).`);
      names.add(name);
      await toStoredInput(job, input).catch((error: unknown) =>
        report(
          `The input of schedule("${pattern}", "${job.name}") is invalid: ${error instanceof Error ? error.message : error}`,
        ),
      );
    }
    if (problems.length > 0) throw new StartError(problems);
    for (const { name, pattern, timezone } of this.#list) await this.#store.addSchedule(name, pattern, timezone);
    await this.#findNextTick();
  }
}

/** The tick to move to, and how many jobs that is: one for each tick, and one or none for all that were missed. */
function findTicks({ nextAfter, missed }: Schedule, last: number, now: number): { tick: number; count: number } {
  const start = now - grace;
  const first = nextAfter(last);
  const isBacklog = first !== undefined && first < start;
  let tick = isBacklog ? start - 1 : last; // not counted one by one: a fast schedule may have missed millions
  let count = 0;
  for (let next = nextAfter(tick); next !== undefined && next <= now && count < largestBatch; next = nextAfter(next)) {
    tick = next;
    count++;
  }
  return { tick, count: isBacklog && missed === "once" ? count + 1 : count };
}
