import { tracingChannel } from "node:diagnostics_channel";
import { trace } from "@tenon/core/internal";
import type { TracedOutcome, Tracing } from "@tenon/core/platform";

/** `tenon.hash`: a password that is hashed or compared, with the wait for a free thread. */
export interface TracedHash extends TracedOutcome {
  readonly operation: "hash" | "verify";
}

export const hashTracing: Tracing<TracedHash> = tracingChannel("tenon.hash");

/** Runs the work, and publishes it when there is a subscriber. */
export function traceHash<Result>(operation: TracedHash["operation"], run: () => Result): Result {
  return hashTracing.hasSubscribers ? trace(hashTracing, { operation }, run) : run();
}
