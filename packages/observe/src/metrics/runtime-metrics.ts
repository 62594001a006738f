import {
  constants,
  type ELDHistogram,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
} from "node:perf_hooks";
import type { Meter } from "@opentelemetry/api";
import { DurationHistogram } from "./duration-histogram.ts";
import { type Family, toFamily } from "./family.ts";

const collectors = new Map<number, string>([
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);
const percentiles = [50, 90, 99] as const;

/** Event loop, garbage collection, memory and CPU of the process, under the names that dashboards for Node know. */
export class RuntimeMetrics {
  readonly #delay: ELDHistogram = monitorEventLoopDelay({ resolution: 10 });
  readonly #collections = new DurationHistogram("nodejs.gc.duration", "Garbage collections, in seconds");
  readonly #observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) this.#addCollection(entry);
  });
  #utilization = performance.eventLoopUtilization();

  start(meter: Meter | undefined): void {
    if (meter !== undefined) this.#collections.sendTo(meter);
    this.#delay.enable();
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  stop(): void {
    this.#delay.disable();
    this.#observer.disconnect();
  }

  /** The delay and the utilization are those since the last call. */
  read(): Family[] {
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      ...this.#readLoop(),
      this.#collections.read(),
      toFamily("process_resident_memory_bytes", "Resident memory of the process", "gauge", rss),
      toFamily("nodejs_heap_size_total_bytes", "Size of the heap", "gauge", heapTotal),
      toFamily("nodejs_heap_size_used_bytes", "Used part of the heap", "gauge", heapUsed),
      toFamily("nodejs_external_memory_bytes", "Memory of buffers and native objects", "gauge", external),
      toFamily("process_cpu_seconds_total", "CPU time of the process", "counter", (user + system) / 1e6),
      toFamily("process_start_time_seconds", "Start of the process since 1970", "gauge", performance.timeOrigin / 1000),
    ];
  }

  #readLoop(): Family[] {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, this.#utilization);
    this.#utilization = current;
    const delay = (name: string, what: string, nanoseconds: number) =>
      toFamily(`nodejs_eventloop_lag_${name}seconds`, `Event loop delay: ${what}`, "gauge", toSeconds(nanoseconds));
    const families = [
      delay("", "mean", this.#delay.mean),
      delay("max_", "longest", this.#delay.max),
      ...percentiles.map((n) => delay(`p${n}_`, `${n}th percentile`, this.#delay.percentile(n))),
      toFamily(
        "nodejs_eventloop_utilization_ratio",
        "Part of the time in which the event loop was busy",
        "gauge",
        utilization,
      ),
    ];
    this.#delay.reset();
    return families;
  }

  #addCollection(entry: PerformanceEntry): void {
    const kind = collectors.get(kindOf(entry)) ?? "other";
    this.#collections.record(entry.duration / 1000, kind, () => ({ kind }));
  }
}

function kindOf(entry: PerformanceEntry): number {
  const { detail } = entry as { readonly detail?: { readonly kind?: number } }; // an entry of a garbage collection has it
  return detail?.kind ?? -1;
}

/** Without a measurement, the mean is not a number and the minimum is the largest one. */
function toSeconds(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0;
}
