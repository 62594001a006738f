import { type Channel, channel, tracingChannel } from "node:diagnostics_channel";
import type { TracedHash } from "@tenon/auth";
import type {
  DroppedLines,
  LoggedFields,
  TracedHandler,
  TracedMiddleware,
  TracedRequest,
  Tracing,
} from "@tenon/core/platform";
import type { TracedRedis, TracedSql } from "@tenon/data";
import type { TracedEnqueue, TracedJob } from "@tenon/jobs";
import type { TracedEvent, TracedMessage } from "@tenon/live";

// only the types of these packages: of all but core an application may use some, or none

export const logChannel: Channel<LoggedFields> = channel("tenon.log");
export const logDroppedChannel: Channel<DroppedLines> = channel("tenon.log.dropped");
export const requestTracing: Tracing<TracedRequest> = tracingChannel("tenon.request");
export const middlewareTracing: Tracing<TracedMiddleware> = tracingChannel("tenon.middleware");
export const handlerTracing: Tracing<TracedHandler> = tracingChannel("tenon.handler");
export const sqlTracing: Tracing<TracedSql> = tracingChannel("tenon.sql");
export const redisTracing: Tracing<TracedRedis> = tracingChannel("tenon.redis");
export const enqueueTracing: Tracing<TracedEnqueue> = tracingChannel("tenon.enqueue");
export const jobTracing: Tracing<TracedJob> = tracingChannel("tenon.job");
export const eventTracing: Tracing<TracedEvent> = tracingChannel("tenon.event");
export const messageTracing: Tracing<TracedMessage> = tracingChannel("tenon.message");
export const hashTracing: Tracing<TracedHash> = tracingChannel("tenon.hash");
