import { context, type Meter, metrics, trace } from "@opentelemetry/api";
import type { Log } from "@tenon/core";
import { listenToFetch } from "./fetch-channels.ts";
import { hasTracerProvider, startSdk } from "./otel/sdk.ts";
import { TracingContextManager } from "./otel/tracing-context.ts";
import type { ObserveSettings } from "./settings.ts";
import { FetchSpans } from "./spans/fetch-spans.ts";
import { enqueueSpans, jobSpans } from "./spans/job-spans.ts";
import { addTraceToLog } from "./spans/log-fields.ts";
import { createRequestSpans, handlerSpans, middlewareSpans } from "./spans/request-spans.ts";
import { SpanBridge } from "./spans/span-bridge.ts";
import { SpanErrors } from "./spans/span-errors.ts";
import type { SqlSummaries } from "./spans/sql-text.ts";
import { createSqlSpans, eventSpans, hashSpans, messageSpans, redisSpans } from "./spans/store-spans.ts";

export interface TelemetryParts {
  readonly settings: ObserveSettings;
  readonly serviceName: string;
  readonly log: Log;
}

/** The spans of this process, and the SDK that sends them, the application's or our own. */
export interface OpenTelemetry {
  /** Sends metrics; undefined where nothing does. */
  readonly meter: Meter | undefined;
  /** Sends what is waiting. */
  stop(): Promise<void>;
}

export async function startOpenTelemetry(
  { settings, serviceName, log }: TelemetryParts,
  summaries: SqlSummaries,
): Promise<OpenTelemetry> {
  const manager = settings.contextManager ?? new TracingContextManager();
  const sdk = await startSdk(manager, serviceName, log);
  const isTraced = hasTracerProvider();
  // with an SDK of the application, and without another manager, spans that it starts itself would not be children
  const isOurs = sdk !== undefined || settings.contextManager !== undefined || !isTraced;
  if (!isOurs && !context.setGlobalContextManager(manager))
    log.warn(
      "OpenTelemetry has a context manager of another package: give its SDK and observeModule() the same TracingContextManager",
    );
  const disconnect = isTraced ? connectSpans(manager, settings, summaries, sdk === undefined) : [];
  const isSent = metrics.getMeterProvider().constructor.name !== "NoopMeterProvider";
  return {
    meter: isSent ? metrics.getMeter("@tenon/observe") : undefined,
    async stop() {
      for (const end of disconnect) end();
      await sdk?.stop();
    },
  };
}

function connectSpans(
  manager: TracingContextManager,
  settings: ObserveSettings,
  summaries: SqlSummaries,
  hasEarlyAttributes: boolean,
): (() => void)[] {
  const tracer = trace.getTracer("@tenon/observe");
  const errors = new SpanErrors();
  const { storage } = manager;
  const bridge = new SpanBridge({ tracer, storage, errors, hasEarlyAttributes });
  const active = () => manager.active();
  return [
    bridge.connect(createRequestSpans(settings)),
    ...(settings.chainSpans ? [bridge.connect(middlewareSpans), bridge.connect(handlerSpans)] : []),
    bridge.connect(createSqlSpans(summaries)),
    bridge.connect(redisSpans),
    bridge.connect(eventSpans),
    bridge.connect(messageSpans),
    bridge.connect(hashSpans),
    bridge.connect(enqueueSpans),
    bridge.connect(jobSpans),
    listenToFetch(new FetchSpans(tracer, active, errors)),
    addTraceToLog(active),
  ];
}
