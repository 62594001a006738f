export type { Family, Sample } from "./metrics/family.ts";
export { Metrics } from "./metrics.ts";
export { MetricsServer } from "./metrics-server.ts";
export { observeModule } from "./observe-module.ts";
export type { MetricsOptions, ObserveOptions } from "./settings.ts";
export { SignalContextManager } from "./signal-context.ts";
