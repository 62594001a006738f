import { tracingChannel } from "node:diagnostics_channel";
import type { Signal, SignalOutcome } from "@tenon/core/platform";

/** `tenon.view`: a view that is rendered. */
export interface ViewSignal extends SignalOutcome {
  /** The name of the view: "posts/index". */
  readonly view: string;
}

export const viewSignal: Signal<ViewSignal> = tracingChannel("tenon.view");
