import { inject, Log, type OnStart, type OnStop } from "@tenon/core";
import { endsWithin, isMetricSource } from "@tenon/core/internal";
import { Introspection, type Metric, type MetricSource } from "@tenon/core/platform";
import type { Family } from "../metrics/family.ts";
import { exportGauges } from "../metrics/gauge-export.ts";
import { RuntimeMetrics } from "../metrics/runtime-metrics.ts";
import { formatMetrics } from "../metrics/text-format.ts";
import { Observer } from "../observer.ts";
import { ObserveSettings } from "../settings.ts";
import { WorkerMetrics } from "./worker-metrics.ts";

/** Milliseconds that a service has for its metrics. */
const timeout = 2000;

/** The metrics of an application: `inject(Metrics)`. A service adds its own with a method `readMetrics()`. */
export class Metrics implements OnStart, OnStop {
  readonly #observer = inject(Observer);
  readonly #introspection = inject(Introspection);
  readonly #log = inject(Log);
  readonly #isOn = inject(ObserveSettings).metrics !== undefined;
  readonly #workers = inject(WorkerMetrics);
  // one for each reader, because reading begins a new window
  readonly #runtime = new RuntimeMetrics();
  readonly #exported = new RuntimeMetrics();
  #endExport: (() => void) | undefined;

  onStart(): void {
    const meter = this.#observer.telemetry?.openTelemetry?.meter;
    if (meter !== undefined) this.#endExport = exportGauges(meter, () => this.#readGauges(this.#exported));
    if (meter !== undefined) this.#exported.start(meter);
    if (this.#isOn || meter !== undefined) this.#runtime.start(undefined);
    this.#workers.start(() => this.read());
  }

  onStop(): void {
    this.#endExport?.(); // the stores are closed, and the end of the SDK reads once more
    this.#runtime.stop();
    this.#exported.stop();
  }

  /** In the text format of Prometheus, of all workers of this machine. */
  async text(): Promise<string> {
    return formatMetrics((await this.#workers.collect()) ?? (await this.read()));
  }

  /** The metrics of this process. */
  async read(): Promise<Family[]> {
    return [...(this.#observer.telemetry?.metrics.read() ?? []), ...(await this.#readGauges(this.#runtime))];
  }

  /** The gauges of the process and of its services. */
  async #readGauges(runtime: RuntimeMetrics): Promise<Family[]> {
    const sources = this.#introspection.instances().filter(isMetricSource);
    const own = await Promise.all(sources.map((source) => this.#readSource(source)));
    return [...runtime.read(), ...own.flat().map(toFamily)];
  }

  /** A service that fails, because its store is down for example, is left out: the others still count. */
  async #readSource(source: MetricSource): Promise<readonly Metric[]> {
    try {
      const metrics = Promise.try(() => source.readMetrics());
      if (await endsWithin(metrics, timeout)) return await metrics;
      throw new Error(`no metrics within ${timeout} ms`);
    } catch (error) {
      this.#log.warn({ err: error }, `the metrics of ${source.constructor.name} could not be read`);
      return [];
    }
  }
}

function toFamily({ name, help, kind, values }: Metric): Family {
  return { name, help, type: kind, samples: values.map(({ value, labels = {} }) => ({ value, labels })) };
}
