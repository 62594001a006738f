import { type Channel, channel, tracingChannel } from "node:diagnostics_channel";
import type { HashSignal } from "@tenon/auth";
import type {
  HandlerSignal,
  LogDroppedSignal,
  LogSignal,
  MiddlewareSignal,
  RequestSignal,
  Signal,
} from "@tenon/core/platform";
import type { RedisSignal, SqlSignal } from "@tenon/data";
import type { EnqueueSignal, JobSignal } from "@tenon/jobs";
import type { EventSignal, MessageSignal } from "@tenon/live";

// only the types of these packages: of all but core an application may use some, or none

export const logSignal: Channel<LogSignal> = channel("tenon.log");
export const logDroppedSignal: Channel<LogDroppedSignal> = channel("tenon.log.dropped");
export const requestSignal: Signal<RequestSignal> = tracingChannel("tenon.request");
export const middlewareSignal: Signal<MiddlewareSignal> = tracingChannel("tenon.middleware");
export const handlerSignal: Signal<HandlerSignal> = tracingChannel("tenon.handler");
export const sqlSignal: Signal<SqlSignal> = tracingChannel("tenon.sql");
export const redisSignal: Signal<RedisSignal> = tracingChannel("tenon.redis");
export const enqueueSignal: Signal<EnqueueSignal> = tracingChannel("tenon.enqueue");
export const jobSignal: Signal<JobSignal> = tracingChannel("tenon.job");
export const eventSignal: Signal<EventSignal> = tracingChannel("tenon.event");
export const messageSignal: Signal<MessageSignal> = tracingChannel("tenon.message");
export const hashSignal: Signal<HashSignal> = tracingChannel("tenon.hash");
