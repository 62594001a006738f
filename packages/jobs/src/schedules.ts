import { inject, type Problem, StartError } from "@tenon/core";
import { JobClock } from "./job-clock.ts";
import { toNewJobs, toStoredInput } from "./new-jobs.ts";
import type { Schedule } from "./schedule.ts";
import { JobSettings } from "./settings.ts";
import { JobStore } from "./store/job-store.ts";

/** Milliseconds by which a tick may be late and still be enqueued by itself. Older ones were missed. */
const grace = 60_000;
/** Ticks that one transaction enqueues. */
const largestBatch = 1000;

/** The schedules of an application. A module adds its own in a constructor: `inject(Schedules).add(schedule(…))`. */
export class Schedules {
  readonly #store = inject(JobStore);
  readonly #clock = inject(JobClock);
  readonly #list: Schedule[] = [...inject(JobSettings).schedules];
  #nextTick: number | undefined;
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
    if ((this.#nextTick ?? Number.POSITIVE_INFINITY) > this.#clock.now()) return false;
    let added = false;
    const { now, lastTicks } = await this.#store.readSchedules();
    for (const schedule of this.#list) {
      const last = lastTicks.get(schedule.name);
      if (last === undefined) continue;
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

  async #findNextTick(): Promise<void> {
    const { now, lastTicks } = await this.#store.readSchedules();
    const ahead = this.#clock.now() - now;
    const ticks = this.#list.flatMap(({ name, nextAfter }) => {
      const last = lastTicks.get(name);
      return last === undefined ? [] : (nextAfter(last) ?? []);
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

/** The tick to move to, and how many jobs that is: one for each tick, but one or none for a backlog with missed ones. */
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
  return { tick, count: isBacklog && missed === "once" ? 1 : count };
}
