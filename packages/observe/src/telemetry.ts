import { SignalMetrics } from "./metrics/signal-metrics.ts";
import type { OpenTelemetry, TelemetryParts } from "./open-telemetry.ts";
import { hasApi } from "./otel/packages.ts";
import { SqlSummaries } from "./spans/sql-text.ts";

/** What listens to the signals of this process: metrics, and OpenTelemetry where its API is installed. */
export class Telemetry {
  readonly metrics: SignalMetrics;
  readonly openTelemetry: OpenTelemetry | undefined;
  readonly #disconnect: (() => void) | undefined;

  private constructor(
    metrics: SignalMetrics,
    openTelemetry: OpenTelemetry | undefined,
    disconnect: (() => void) | undefined,
  ) {
    this.metrics = metrics;
    this.openTelemetry = openTelemetry;
    this.#disconnect = disconnect;
  }

  static async start(parts: TelemetryParts): Promise<Telemetry> {
    const summaries = new SqlSummaries();
    const openTelemetry = await startOpenTelemetry(parts, summaries);
    const meter = openTelemetry?.meter;
    const measured = new SignalMetrics(summaries);
    const isMeasured = parts.settings.metrics !== undefined || meter !== undefined;
    return new Telemetry(measured, openTelemetry, isMeasured ? measured.connect(meter) : undefined);
  }

  /** Sends what is waiting. */
  async stop(): Promise<void> {
    this.#disconnect?.();
    await this.openTelemetry?.stop();
  }
}

/** Imported here, because its files import the API, which an application with metrics alone has no need for. */
async function startOpenTelemetry(parts: TelemetryParts, summaries: SqlSummaries): Promise<OpenTelemetry | undefined> {
  if (!(await hasApi())) return undefined;
  const { OpenTelemetry } = await import("./open-telemetry.ts");
  return OpenTelemetry.start(parts, summaries);
}
