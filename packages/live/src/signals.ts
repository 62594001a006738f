import { tracingChannel } from "node:diagnostics_channel";
import type { Signal, SignalOutcome } from "@tenon/core/platform";

/** `tenon.event`: one event that is published. */
export interface EventSignal extends SignalOutcome {
  readonly topic: string;
  readonly event: string;
  /** Set before the end, where the store tells it at once. */
  id?: string;
  /** Set before the end: the subscribers of the topic in this process. */
  subscribers?: number;
}

export const eventSignal: Signal<EventSignal> = tracingChannel("tenon.event");
