import { tracingChannel } from "node:diagnostics_channel";
import type { TracedOutcome, Tracing } from "@tenon/core/platform";

/** `tenon.view`: a view that is rendered. */
export interface TracedView extends TracedOutcome {
  /** The name of the view: "posts/index". */
  readonly view: string;
}

export const viewTracing: Tracing<TracedView> = tracingChannel("tenon.view");
