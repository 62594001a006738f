import { tracingChannel } from "node:diagnostics_channel";
import type { Signal, SignalOutcome } from "@tenon/core/platform";

/** `tenon.hash`: a password that is hashed or compared, with the wait for a free thread. */
export interface HashSignal extends SignalOutcome {
  readonly operation: "hash" | "verify";
}

export const hashSignal: Signal<HashSignal> = tracingChannel("tenon.hash");
