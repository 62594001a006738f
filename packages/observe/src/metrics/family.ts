export interface Sample {
  /** `_bucket`, `_sum` or `_count` of a histogram. Defaults to "". */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with all its values, in the terms of Prometheus. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

/** A metric with one value. */
export function toFamily(name: string, help: string, type: "counter" | "gauge", value: number): Family {
  return { name, help, type, samples: [{ labels: noLabels, value }] };
}
