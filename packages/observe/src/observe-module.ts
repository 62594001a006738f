import { defineModule, type Module, provide } from "@tenon/core";
import { type ConfigIn, resolveOptions } from "@tenon/core/internal";
import { Observer } from "./observer.ts";
import { Metrics } from "./prometheus/metrics.ts";
import { MetricsController } from "./prometheus/metrics-controller.ts";
import { MetricsServer } from "./prometheus/metrics-server.ts";
import { WorkerMetrics } from "./prometheus/worker-metrics.ts";
import { type ObserveOptions, ObserveSettings, type PlainObserveOptions, toObserveSettings } from "./settings.ts";

/**
 * Traces and metrics. The variables OTEL_… decide what is sent where, as OpenTelemetry defines them; without them only
 * the metrics of the options are kept. Exports `Metrics`. Import it first, so that it starts first and stops last.
 */
export function observeModule<const Imports extends readonly Module[] = []>(
  options: ObserveOptions<Imports> = {},
): Module<ConfigIn<Imports>> {
  return defineModule({
    name: "observe",
    imports: options?.imports ?? [],
    declarations: [
      provide(ObserveSettings, () => toObserveSettings(resolveOptions<PlainObserveOptions>(options))),
      Observer,
      WorkerMetrics,
      Metrics,
      MetricsController,
      MetricsServer,
    ],
    exports: [Metrics, MetricsServer],
  });
}
