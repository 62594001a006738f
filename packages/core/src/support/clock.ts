/** The current time. Every module can inject it, and a test can set it: see `useClock()`. */
export class Clock {
  /** Whether a store may use the clock of its server instead, because the clocks of several hosts differ. */
  readonly isSystem: boolean = true;

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now();
  }

  /** RFC 3339 in UTC, with milliseconds. */
  timestamp(): string {
    return new Date(this.now()).toISOString();
  }
}
