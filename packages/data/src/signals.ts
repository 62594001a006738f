import { tracingChannel } from "node:diagnostics_channel";
import type { Signal, SignalOutcome } from "@tenon/core/platform";

/** `tenon.sql`: one statement. */
export interface SqlSignal extends SignalOutcome {
  readonly database: "sqlite" | "postgres";
  /** With placeholders. */
  readonly sql: string;
  /** The values of the placeholders: they may be secrets, so a subscriber must not send them elsewhere. */
  readonly parameters: readonly unknown[];
  /** Set before the end: rows read, or changed by a statement that returns none. */
  rows?: number;
}

/** `tenon.redis`: one command. */
export interface RedisSignal extends SignalOutcome {
  readonly command: string;
  /** The number of its arguments. */
  readonly keys: number;
}

export const sqlSignal: Signal<SqlSignal> = tracingChannel("tenon.sql");
export const redisSignal: Signal<RedisSignal> = tracingChannel("tenon.redis");
