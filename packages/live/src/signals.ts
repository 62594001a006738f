import { tracingChannel } from "node:diagnostics_channel";
import type { Context } from "@tenon/core";
import type { Signal, SignalOutcome } from "@tenon/core/platform";

/** `tenon.event`: one event that is published, until it is stored. */
export interface EventSignal extends SignalOutcome {
  readonly topic: string;
  readonly event: string;
  /** The subscribers of the topic in this process. */
  readonly subscribers: number;
}

/** `tenon.message`: one message of a client of a WebSocket, in its handler. */
export interface MessageSignal extends SignalOutcome {
  /** The context of the request that opened the socket. */
  readonly ctx: Context;
  readonly message: string;
}

export const messageSignal: Signal<MessageSignal> = tracingChannel("tenon.message");
export const eventSignal: Signal<EventSignal> = tracingChannel("tenon.event");
