import type { Meter } from "@opentelemetry/api";
import type { Family } from "./family.ts";

/**
 * Sends gauges and counters through the meter of OpenTelemetry, which wants to know an instrument before its first
 * value: a new one is sent from the next time on. Returns the function that ends it.
 */
export function exportGauges(meter: Meter, read: () => Promise<readonly Family[]>): () => void {
  const latest = new Map<string, Family>();
  const ends: (() => void)[] = [];
  const add = ({ name, help: description, type }: Family) => {
    const options = { description };
    const instrument =
      type === "counter" ? meter.createObservableCounter(name, options) : meter.createObservableGauge(name, options);
    const observe = (result: { observe(value: number, labels: Readonly<Record<string, string>>): void }) => {
      for (const { value, labels } of latest.get(name)?.samples ?? []) result.observe(value, labels);
    };
    instrument.addCallback(observe);
    ends.push(() => instrument.removeCallback(observe));
  };
  const count = meter.createObservableGauge("tenon.metrics", {
    description: "Metrics of the process and its services",
  });
  const refresh = async (result: { observe(value: number): void }) => {
    const families = (await read()).filter(({ type }) => type !== "histogram"); // they are sent as they are recorded
    for (const family of families) {
      if (!latest.has(family.name)) add(family);
      latest.set(family.name, family);
    }
    result.observe(families.length);
  };
  count.addCallback(refresh);
  ends.push(() => count.removeCallback(refresh));
  return () => {
    for (const end of ends) end();
  };
}
