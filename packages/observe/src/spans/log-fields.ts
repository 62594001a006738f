import { type Context, trace } from "@opentelemetry/api";
import type { LoggedFields } from "@tenon/core/platform";
import { logChannel } from "../tracing.ts";

/** Adds `trace_id` and `span_id` to the log lines of a trace. Returns the function that ends it. */
export function addTraceToLog(active: () => Context): () => void {
  const onLine = (message: unknown) => {
    const { fields } = message as LoggedFields; // the payload of this channel
    const span = trace.getSpan(active())?.spanContext();
    if (span === undefined) return;
    fields.trace_id = span.traceId;
    fields.span_id = span.spanId;
  };
  logChannel.subscribe(onLine);
  return () => logChannel.unsubscribe(onLine);
}
