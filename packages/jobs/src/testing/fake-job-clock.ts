import { type Provider, provide } from "@tenon/core";
import { type Duration, parseDuration } from "../duration.ts";
import { JobClock } from "../job-clock.ts";

/** A clock that does not move until a test moves it. */
export class FakeJobClock extends JobClock {
  override readonly isSystem = false;
  #now: number;

  /** Defaults to the current time. */
  constructor(start: Date | string | number = Date.now()) {
    super();
    this.#now = new Date(start).getTime();
  }

  override now(): number {
    return this.#now;
  }

  advance(by: Duration): void {
    this.#now += parseDuration(by, "advance()");
  }

  set(time: Date | string | number): void {
    this.#now = new Date(time).getTime();
  }
}

/** Makes a clock that of jobs and schedules: `createTestApp(AppModule, api(), { override: [useJobClock(clock)] })`. */
export function useJobClock(clock: JobClock): Provider {
  return provide(JobClock, () => clock);
}
