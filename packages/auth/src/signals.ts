import { tracingChannel } from "node:diagnostics_channel";
import { trace } from "@tenon/core/internal";
import type { Signal, SignalOutcome } from "@tenon/core/platform";

/** `tenon.hash`: a password that is hashed or compared, with the wait for a free thread. */
export interface HashSignal extends SignalOutcome {
  readonly operation: "hash" | "verify";
}

export const hashSignal: Signal<HashSignal> = tracingChannel("tenon.hash");

/** Runs the work, and publishes it when there is a subscriber. */
export function traceHash<Result>(operation: HashSignal["operation"], run: () => Result): Result {
  return hashSignal.hasSubscribers ? trace(hashSignal, { operation }, run) : run();
}
