export { observeModule } from "./observe-module.ts";
export { TracingContextManager } from "./otel/tracing-context.ts";
export { Metrics } from "./prometheus/metrics.ts";
export { MetricsServer } from "./prometheus/metrics-server.ts";
export type { ObserveOptions } from "./settings.ts";
