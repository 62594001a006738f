import type { Family, Sample } from "./family.ts";

/** The media type of the text format of Prometheus. */
export const textFormat = "text/plain; version=0.0.4; charset=utf-8";

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** Writes metrics in the text format of Prometheus. Families of the same name become one, and a value is written once. */
export function formatMetrics(families: readonly Family[]): string {
  const merged = new Map<string, Family>();
  for (const family of families) {
    if (!metricName.test(family.name)) continue;
    const known = merged.get(family.name);
    merged.set(
      family.name,
      known === undefined ? family : { ...known, samples: [...known.samples, ...family.samples] },
    );
  }
  return [...merged.values()].map(formatFamily).join("");
}

function formatFamily({ name, help, type, samples }: Family): string {
  const lines = new Map<string, string>();
  for (const sample of samples) {
    const series = `${name}${sample.suffix ?? ""}${formatLabels(sample)}`;
    lines.set(series, `${series} ${formatValue(sample.value)}\n`);
  }
  if (lines.size === 0) return "";
  const text = help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return `# HELP ${name} ${text}\n# TYPE ${name} ${type}\n${[...lines.values()].join("")}`;
}

function formatLabels({ labels }: Sample): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${toLabelName(name)}="${escapeValue(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** `http.request.method` → `http_request_method`. */
function toLabelName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_]/g, "_").replace(/^(?=\d)/, "_");
}

function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}

function formatValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}
