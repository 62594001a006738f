/** A metric family as it was parsed. */
export interface ParsedFamily {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly ParsedSample[];
}

export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]Inf|-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$/;
const label = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/;
const suffixes: Readonly<Record<string, RegExp>> = { histogram: /^(?:_bucket|_sum|_count)$/ };

/**
 * Parses version 0.0.4 of the text format, and throws for what a server of Prometheus refuses or warns of: a line of
 * another form, a family in two places, a series twice, a histogram whose buckets do not grow or do not end at +Inf.
 */
export function parsePrometheus(text: string): Map<string, ParsedFamily> {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const families = new Map<string, { help: string; type: string; samples: ParsedSample[] }>();
  const series = new Set<string>();
  let help: { name: string; text: string } | undefined;
  let current = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === "HELP") help = { name, text: rest };
    else if (kind === "TYPE") {
      if (help?.name !== name) throw new Error(`TYPE without HELP: ${line}`);
      if (families.has(name)) throw new Error(`a second family ${name}`);
      if (!["counter", "gauge", "histogram"].includes(rest)) throw new Error(`an unknown type: ${line}`);
      if (rest === "counter" && !name.endsWith("_total")) throw new Error(`a counter without _total: ${name}`);
      families.set(name, { help: help.text, type: rest, samples: [] });
      current = name;
    } else {
      const sample = parseSample(line);
      const family = families.get(current);
      const suffix = sample.name.slice(current.length);
      const fits = sample.name.startsWith(current) && (suffixes[family?.type ?? ""] ?? /^$/).test(suffix);
      if (family === undefined || !fits) throw new Error(`not of the family ${current}: ${line}`);
      const id = sample.name + JSON.stringify(Object.entries(sample.labels).sort());
      if (series.has(id)) throw new Error(`a series twice: ${line}`);
      series.add(id);
      family.samples.push(sample);
    }
  }
  for (const [name, family] of families) if (family.type === "histogram") checkBuckets(name, family.samples);
  return families;
}

function parseSample(line: string): ParsedSample {
  const match = sampleLine.exec(line);
  if (match === null) throw new Error(`not a line of the format: ${line}`);
  const [, name = "", list = "", value = ""] = match;
  const labels: Record<string, string> = {};
  for (let rest = list; rest !== ""; ) {
    const [whole = "", key = "", escaped = ""] = label.exec(rest) ?? [];
    if (whole === "" || key in labels) throw new Error(`bad labels: ${line}`);
    labels[key] = escaped.replaceAll(/\\(.)/g, (_, c: string) => (c === "n" ? "\n" : c));
    rest = rest.slice(whole.length);
  }
  return { name, labels, value: value.endsWith("Inf") ? Number(value.replace("Inf", "Infinity")) : Number(value) };
}

function checkBuckets(name: string, samples: readonly ParsedSample[]): void {
  const groups = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  for (const group of groups.values()) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace("+Inf", "Infinity")));
    const counts = buckets.map(({ value }) => value);
    const grows = (list: readonly number[]) =>
      list.every((value, index) => index === 0 || value >= (list[index - 1] ?? 0));
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY || !grows(bounds) || !grows(counts))
      throw new Error(`bad buckets of ${name}`);
    const count = group.find((sample) => sample.name === `${name}_count`)?.value;
    if (count !== counts.at(-1)) throw new Error(`${name}_count differs from its last bucket`);
    if (!group.some((sample) => sample.name === `${name}_sum`)) throw new Error(`${name} has no sum`);
  }
}
