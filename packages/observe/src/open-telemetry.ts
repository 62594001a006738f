import { context, type Meter, metrics, trace } from "@opentelemetry/api";
import type { Log } from "@tenon/core";
import { listenToFetch } from "@tenon/core/internal";
import { hasTracerProvider, type Sdk, startSdk } from "./otel/sdk.ts";
import { SignalContextManager } from "./otel/signal-context.ts";
import type { ObserveSettings } from "./settings.ts";
import { handlerSpans, middlewareSpans } from "./spans/chain-spans.ts";
import { Failures } from "./spans/failures.ts";
import { FetchSpans } from "./spans/fetch-spans.ts";
import { enqueueSpans, jobSpans } from "./spans/job-spans.ts";
import { addTraceToLog } from "./spans/log-fields.ts";
import { createRequestSpans } from "./spans/request-spans.ts";
import { SpanBridge } from "./spans/span-bridge.ts";
import type { SqlSummaries } from "./spans/sql-text.ts";
import { createSqlSpans, eventSpans, hashSpans, messageSpans, redisSpans } from "./spans/store-spans.ts";

export interface TelemetryParts {
  readonly settings: ObserveSettings;
  readonly serviceName: string;
  readonly log: Log;
}

/** The spans of this process, and the SDK that sends them, the application's or our own. */
export class OpenTelemetry {
  /** Sends metrics; undefined where nothing does. */
  readonly meter: Meter | undefined;
  readonly #sdk: Sdk | undefined;
  readonly #disconnect: readonly (() => void)[];

  private constructor(sdk: Sdk | undefined, disconnect: readonly (() => void)[]) {
    this.#sdk = sdk;
    this.#disconnect = disconnect;
    const isSent = metrics.getMeterProvider().constructor.name !== "NoopMeterProvider";
    this.meter = isSent ? metrics.getMeter("@tenon/observe") : undefined;
  }

  static async start({ settings, serviceName, log }: TelemetryParts, summaries: SqlSummaries): Promise<OpenTelemetry> {
    const manager = settings.contextManager ?? new SignalContextManager();
    const sdk = await startSdk(manager, serviceName, log);
    if (!hasTracerProvider()) return new OpenTelemetry(sdk, []);
    // with an SDK of the application, and without another manager, spans that it starts itself would not be children
    const isOurs =
      sdk !== undefined || settings.contextManager !== undefined || context.setGlobalContextManager(manager);
    if (!isOurs)
      log.warn(
        "OpenTelemetry has a context manager of another package: give its SDK and observeModule() the same SignalContextManager",
      );
    return new OpenTelemetry(sdk, connectSpans(manager, settings, summaries, sdk === undefined));
  }

  /** Sends what is waiting. */
  async stop(): Promise<void> {
    for (const end of this.#disconnect) end();
    await this.#sdk?.stop();
  }
}

function connectSpans(
  manager: SignalContextManager,
  settings: ObserveSettings,
  summaries: SqlSummaries,
  hasEarlyAttributes: boolean,
): (() => void)[] {
  const tracer = trace.getTracer("@tenon/observe");
  const failures = new Failures();
  const { storage } = manager;
  const bridge = new SpanBridge({ tracer, storage, failures, hasEarlyAttributes });
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
    listenToFetch(new FetchSpans(tracer, active, failures)),
    addTraceToLog(active),
  ];
}
