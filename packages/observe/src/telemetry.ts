import { TracingMetrics } from "./metrics/tracing-metrics.ts";
import type { OpenTelemetry, TelemetryParts } from "./open-telemetry.ts";
import { hasApi } from "./otel/packages.ts";
import { SqlSummaries } from "./spans/sql-text.ts";

/** What listens to the channels of this process: metrics, and OpenTelemetry where its API is installed. */
export interface Telemetry {
  readonly metrics: TracingMetrics;
  readonly openTelemetry: OpenTelemetry | undefined;
  /** Sends what is waiting. */
  stop(): Promise<void>;
}

async function startTelemetry(parts: TelemetryParts): Promise<Telemetry> {
  const summaries = new SqlSummaries();
  // imported here, because its files import the API, which an application with metrics alone has no need for
  const loaded = (await hasApi()) ? await import("./open-telemetry.ts") : undefined;
  const openTelemetry = await loaded?.startOpenTelemetry(parts, summaries);
  const meter = openTelemetry?.meter;
  const metrics = new TracingMetrics(summaries);
  const isMeasured = parts.settings.metrics !== undefined || meter !== undefined;
  const disconnect = isMeasured ? metrics.connect(meter) : undefined;
  return {
    metrics,
    openTelemetry,
    async stop() {
      disconnect?.();
      await openTelemetry?.stop();
    },
  };
}

interface Shared {
  readonly started: Promise<Telemetry>;
  users: number;
}

// channels and the API of OpenTelemetry belong to the process: two applications that each listened would make every span twice
let shared: Shared | undefined;

/** Starts the telemetry of this process, or joins it. The settings of the first application count. */
export async function joinTelemetry(parts: TelemetryParts): Promise<Telemetry> {
  shared ??= { started: startTelemetry(parts), users: 0 };
  shared.users++;
  try {
    return await shared.started;
  } catch (error) {
    shared = undefined;
    throw error;
  }
}

/** The last application stops it. */
export async function leaveTelemetry(): Promise<void> {
  if (shared === undefined || --shared.users > 0) return;
  const { started } = shared;
  shared = undefined;
  await (await started).stop();
}
