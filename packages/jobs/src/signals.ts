import { tracingChannel } from "node:diagnostics_channel";
import type { Signal, SignalOutcome } from "@tenon/core/platform";

/** What is stored with a job for the attempts to run it: `{ traceparent }`. */
export type Carrier = Record<string, string>;

/** `tenon.enqueue`: jobs of one name that are added in one statement. */
export interface EnqueueSignal extends SignalOutcome {
  /** The name of the job. */
  readonly job: string;
  readonly queue: string;
  /** Subscribers of `start` add to it; it is stored with each of the jobs. */
  readonly carrier: Carrier;
  /** Set before the end: the id of the first job, which may be an older one with the same key. */
  id?: number;
  /** How many jobs are enqueued. */
  readonly count: number;
}

/** `tenon.job`: one attempt to run a job. */
export interface JobSignal extends SignalOutcome {
  /** The name of the job. */
  readonly job: string;
  readonly id: number;
  readonly queue: string;
  /** From 1 on. */
  readonly attempt: number;
  /** What was added when it was enqueued. */
  readonly carrier: Readonly<Carrier>;
  /** Set before the end: what the attempt has made of the job. */
  state?: "done" | "queued" | "scheduled" | "dead";
}

export const enqueueSignal: Signal<EnqueueSignal> = tracingChannel("tenon.enqueue");
export const jobSignal: Signal<JobSignal> = tracingChannel("tenon.job");
