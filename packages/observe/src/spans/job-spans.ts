import { propagation, ROOT_CONTEXT, SpanKind } from "@opentelemetry/api";
import type { TracedEnqueue, TracedJob } from "@tenon/jobs";
import { enqueueTracing, jobTracing } from "../tracing.ts";
import type { Operation } from "./span-bridge.ts";

const system = "tenon.jobs";

/** The trace is stored with the job. */
export const enqueueSpans: Operation<TracedEnqueue> = {
  tracing: enqueueTracing,
  startsTraces: true,
  kind: SpanKind.PRODUCER,
  nameOf: ({ job }) => `enqueue ${job}`,
  attributesOf: ({ job, queue, count }) => ({
    "messaging.system": system,
    "messaging.operation.name": "enqueue",
    "messaging.operation.type": "send",
    "messaging.destination.name": queue,
    "messaging.batch.message_count": count,
    "tenon.job.name": job,
  }),
  onStart: ({ carrier }, context) => propagation.inject(context, carrier),
  onEnd: ({ id }, span) => {
    if (id !== undefined) span.setAttribute("messaging.message.id", String(id));
  },
};

/** An attempt continues the trace that has enqueued the job, also in another process. */
export const jobSpans: Operation<TracedJob> = {
  tracing: jobTracing,
  startsTraces: true,
  kind: SpanKind.CONSUMER,
  nameOf: ({ job }) => `process ${job}`,
  attributesOf: ({ job, id, queue, attempt }) => ({
    "messaging.system": system,
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
    "messaging.destination.name": queue,
    "messaging.message.id": String(id),
    "tenon.job.name": job,
    "tenon.job.attempt": attempt,
  }),
  parentOf: ({ carrier }) => propagation.extract(ROOT_CONTEXT, carrier),
  onEnd: ({ state }, span) => {
    if (state !== undefined) span.setAttribute("tenon.job.state", state);
  },
};
