import { randomBytes, randomUUID } from "node:crypto";

/** Time and randomness. Every module can inject it, and a test can set the time and know the ids: see `useClock()`. */
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

  uuid(): string {
    return randomUUID();
  }

  /** 256 random bits as text. */
  secret(): string {
    return randomBytes(32).toString("base64url");
  }
}
