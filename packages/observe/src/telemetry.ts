import { context, metrics, trace } from "@opentelemetry/api";
import type { Log } from "@tenon/core";
import { Failures } from "./failures.ts";
import { addTraceToLog } from "./log-fields.ts";
import { SignalMetrics } from "./metrics/signal-metrics.ts";
import { hasTracerProvider, type Sdk, startSdk } from "./sdk.ts";
import type { ObserveSettings } from "./settings.ts";
import { SignalContextManager } from "./signal-context.ts";
import { handlerSpans, middlewareSpans } from "./spans/chain-spans.ts";
import { FetchSpans, listenToFetch } from "./spans/fetch-spans.ts";
import { enqueueSpans, jobSpans } from "./spans/job-spans.ts";
import { createRequestSpans } from "./spans/request-spans.ts";
import { SpanBridge } from "./spans/span-bridge.ts";
import { createSqlSpans, eventSpans, hashSpans, redisSpans } from "./spans/store-spans.ts";
import { SqlSummaries } from "./sql-text.ts";

export interface TelemetryParts {
  readonly settings: ObserveSettings;
  readonly serviceName: string;
  readonly log: Log;
}

/** What listens to the signals of this process, and the SDK that sends what becomes of them. */
export class Telemetry {
  readonly metrics: SignalMetrics;
  readonly #sdk: Sdk | undefined;
  readonly #disconnect: readonly (() => void)[];

  private constructor(metrics: SignalMetrics, sdk: Sdk | undefined, disconnect: readonly (() => void)[]) {
    this.metrics = metrics;
    this.#sdk = sdk;
    this.#disconnect = disconnect;
  }

  static async start({ settings, serviceName, log }: TelemetryParts): Promise<Telemetry> {
    const manager = settings.contextManager ?? new SignalContextManager();
    const sdk = await startSdk(manager, serviceName, log);
    const summaries = new SqlSummaries();
    const measured = new SignalMetrics(summaries);
    const disconnect: (() => void)[] = [];
    if (settings.metrics !== undefined || hasMeterProvider()) disconnect.push(measured.connect());
    if (hasTracerProvider()) {
      // with an SDK of the application, and without another manager, spans that it starts itself would not be children
      const isOurs =
        sdk !== undefined || settings.contextManager !== undefined || context.setGlobalContextManager(manager);
      if (!isOurs)
        log.warn(
          "OpenTelemetry has a context manager of another package: give its SDK and observeModule() the same SignalContextManager",
        );
      disconnect.push(...connectSpans(manager, settings, summaries, sdk === undefined));
    }
    return new Telemetry(measured, sdk, disconnect);
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
    bridge.connect(hashSpans),
    bridge.connect(enqueueSpans),
    bridge.connect(jobSpans),
    listenToFetch(new FetchSpans(tracer, active, failures)),
    addTraceToLog(active),
  ];
}

/** Whether metrics are sent through OpenTelemetry. */
export function hasMeterProvider(): boolean {
  return metrics.getMeterProvider().constructor.name !== "NoopMeterProvider";
}
