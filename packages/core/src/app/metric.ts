import { hasMethod } from "../support/has-method.ts";

export interface MetricValue {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A figure of a running application, by the rules for names of Prometheus: `tenon_pool_connections`. */
export interface Metric {
  readonly name: string;
  /** One line. */
  readonly help: string;
  /** A counter only grows until the process ends; its name ends with `_total`. */
  readonly kind: "counter" | "gauge";
  readonly values: readonly MetricValue[];
}

/** A service with this method contributes to the metrics of its application. It is found like `onStart()`. */
export interface MetricSource {
  readMetrics(): readonly Metric[] | Promise<readonly Metric[]>;
}

export function isMetricSource(value: unknown): value is MetricSource {
  return hasMethod(value, "readMetrics");
}
