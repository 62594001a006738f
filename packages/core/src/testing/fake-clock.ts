import { type Provider, provide } from "../inject/token.ts";
import { Clock } from "../support/clock.ts";
import { type Duration, parseDuration } from "../support/duration.ts";

/** A clock that does not move until a test moves it. */
export class FakeClock extends Clock {
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

/** Makes a clock that of the application: `createTestApp(AppModule, api(), { override: [useClock(clock)] })`. */
export function useClock(clock: Clock): Provider {
  return provide(Clock, () => clock);
}
