import { tracingChannel } from "node:diagnostics_channel";
import type { Context } from "@tenon/core";
import type { TracedOutcome, Tracing } from "@tenon/core/platform";

/** `tenon.event`: one event that is published, until it is stored. */
export interface TracedEvent extends TracedOutcome {
  readonly topic: string;
  readonly event: string;
  /** The subscribers of the topic in this process. */
  readonly subscribers: number;
}

/** `tenon.message`: one message of a client of a WebSocket, in its handler. */
export interface TracedMessage extends TracedOutcome {
  /** The context of the request that opened the socket. */
  readonly ctx: Context;
  readonly message: string;
}

export const messageTracing: Tracing<TracedMessage> = tracingChannel("tenon.message");
export const eventTracing: Tracing<TracedEvent> = tracingChannel("tenon.event");
