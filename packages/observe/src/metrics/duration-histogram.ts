import type { Attributes, Histogram, Meter } from "@opentelemetry/api";
import type { Family, Sample } from "./family.ts";

/** The buckets that the conventions of OpenTelemetry advise, in seconds. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const;
/** Further ones are counted together, because a label may come from a client. */
const mostSeries = 2000;
const overflow = "otel.metric.overflow";

/** Durations by their attributes, for `GET /metrics` and, if there is one, the meter of OpenTelemetry. */
export class DurationHistogram {
  readonly #name: string;
  readonly #description: string;
  #remote: Histogram | undefined;
  readonly #series = new Map<string, Series>();

  /** `name` is that of the conventions of OpenTelemetry: `http.server.request.duration`. */
  constructor(name: string, description: string) {
    this.#name = name;
    this.#description = description;
  }

  /** What is recorded from now on is sent, too. */
  sendTo(meter: Meter): void {
    const advice = { explicitBucketBoundaries: [...bounds] };
    this.#remote = meter.createHistogram(this.#name, { description: this.#description, unit: "s", advice });
  }

  /** `key` identifies the attributes, which are only made for its first duration. */
  record(seconds: number, key: string, toAttributes: () => Attributes): void {
    const series = this.#series.get(key) ?? this.#add(key, toAttributes);
    series.add(seconds);
    this.#remote?.record(seconds, series.attributes);
  }

  read(): Family {
    const name = `${this.#name.replaceAll(/[^a-z0-9]/g, "_")}_seconds`;
    const samples = [...this.#series.values()].flatMap((series) => series.read());
    return { name, help: this.#description, type: "histogram", samples };
  }

  #add(key: string, toAttributes: () => Attributes): Series {
    const isFull = this.#series.size >= mostSeries;
    const place = isFull ? overflow : key;
    const series = this.#series.get(place) ?? new Series(isFull ? { [overflow]: true } : toAttributes());
    this.#series.set(place, series);
    return series;
  }
}

class Series {
  readonly attributes: Attributes;
  /** The last one has no upper bound. */
  readonly #counts = new Float64Array(bounds.length + 1);
  #sum = 0;

  constructor(attributes: Attributes) {
    this.attributes = attributes;
  }

  add(seconds: number): void {
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += seconds;
  }

  read(): Sample[] {
    const labels = Object.fromEntries(Object.entries(this.attributes).map(([name, value]) => [name, String(value)]));
    let count = 0;
    const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, index): Sample => {
      count += this.#counts[index] ?? 0;
      const le = bound === Number.POSITIVE_INFINITY ? "+Inf" : String(bound);
      return { suffix: "_bucket", labels: { ...labels, le }, value: count };
    });
    return [...buckets, { suffix: "_sum", labels, value: this.#sum }, { suffix: "_count", labels, value: count }];
  }
}
