import { defineModule, type Module, provide } from "@tenon/core";
import { Metrics } from "./metrics.ts";
import { MetricsController } from "./metrics-controller.ts";
import { MetricsServer } from "./metrics-server.ts";
import { Observer } from "./observer.ts";
import { type ObserveOptions, ObserveSettings, toObserveSettings } from "./settings.ts";
import { WorkerMetrics } from "./worker-metrics.ts";

/**
 * Traces and metrics. The variables OTEL_… decide what is sent where, as OpenTelemetry defines them; without them only
 * the metrics of the options are kept. Exports `Metrics`. Import it first, so that it starts first and stops last.
 */
export function observeModule(options: ObserveOptions = {}): Module {
  const settings = toObserveSettings(options);
  return defineModule({
    name: "observe",
    declarations: [
      provide(ObserveSettings, () => settings),
      Observer,
      WorkerMetrics,
      Metrics,
      MetricsController,
      MetricsServer,
    ],
    exports: [Metrics, MetricsServer],
  });
}
