import { tracingChannel } from "node:diagnostics_channel";
import type { Signal, SignalOutcome } from "@tenon/core/platform";

// the part of the payloads that is used here: this package depends on none of those that publish them

export interface SqlPayload extends SignalOutcome {
  readonly database: string;
  readonly sql: string;
  readonly rows?: number | undefined;
}

export interface RedisPayload extends SignalOutcome {
  readonly command: string;
}

export interface EnqueuePayload extends SignalOutcome {
  readonly job: string;
  readonly queue: string;
  readonly count: number;
  readonly carrier: Record<string, string>;
  readonly id?: number | undefined;
}

export interface JobPayload extends SignalOutcome {
  readonly job: string;
  readonly id: number;
  readonly queue: string;
  readonly attempt: number;
  readonly carrier: Readonly<Record<string, string>>;
  readonly state?: string | undefined;
}

export interface EventPayload extends SignalOutcome {
  readonly topic: string;
  readonly event: string;
}

export interface HashPayload extends SignalOutcome {
  readonly operation: string;
}

export const sqlSignal: Signal<SqlPayload> = tracingChannel("tenon.sql");
export const redisSignal: Signal<RedisPayload> = tracingChannel("tenon.redis");
export const enqueueSignal: Signal<EnqueuePayload> = tracingChannel("tenon.enqueue");
export const jobSignal: Signal<JobPayload> = tracingChannel("tenon.job");
export const eventSignal: Signal<EventPayload> = tracingChannel("tenon.event");
export const hashSignal: Signal<HashPayload> = tracingChannel("tenon.hash");
