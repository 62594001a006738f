import { randomBytes, randomUUID } from "node:crypto";

/** Time and randomness, injectable, so that a test can set the time and know the ids. */
export class Clock {
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
