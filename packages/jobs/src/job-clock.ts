/**
 * The time of delays, leases and schedules. Injectable, so that a test can set it. On PostgreSQL the clock of the server
 * decides instead, unless this one is replaced: the clocks of several hosts differ.
 */
export class JobClock {
  /** Whether another clock, such as that of PostgreSQL, may be used in its place. */
  readonly isSystem: boolean = true;

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now();
  }
}
