import { tracingChannel } from "node:diagnostics_channel";
import type { Signal, SignalOutcome } from "@tenon/core/platform";

/** `tenon.event`: one event that is published, until it is stored. */
export interface EventSignal extends SignalOutcome {
  readonly topic: string;
  readonly event: string;
  /** The subscribers of the topic in this process. */
  readonly subscribers: number;
}

export const eventSignal: Signal<EventSignal> = tracingChannel("tenon.event");
