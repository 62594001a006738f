import { loadavg } from "node:os";
import { inTurn } from "../order.ts";
import { Progress } from "../progress.ts";
import { type Spread, spreadOf } from "../statistics.ts";
import { toTable } from "../table.ts";
import { type Entrant, entrants, type LivePartName, type PartName, partNames } from "./entrants.ts";
import { LiveChild } from "./live-child.ts";
import type { LoadCommand, Slice } from "./load-process.ts";
import { describePublishing, measurePublishing, type PublishingRound } from "./publishing.ts";

const clients: Readonly<Record<PartName, number>> = { echo: 64, "fan-out": 1000, sse: 1000 };
const warmMessages = 40_000;
/** The least ratio to the first entrant of a part. */
const target = 0.9;

/** One round of one entrant: all its slices. */
interface Sample extends Slice {
  /** Seconds of processor time of the server. */
  readonly processor: number;
}

export interface LiveResult {
  readonly entrant: string;
  readonly samples: readonly Sample[];
}

export interface LiveMeasurement {
  readonly results: readonly LiveResult[];
  readonly publishing: readonly PublishingRound[];
  readonly load: { readonly before: number; readonly after: number };
}

export interface LiveOptions {
  readonly parts: readonly LivePartName[];
  readonly rounds: number;
  /** Slices of a second for each entrant in a round. */
  readonly seconds: number;
  readonly warmup: number;
  readonly profile: boolean;
}

/** In each round every server has a new process; the servers of a part are loaded in turn, second by second. */
export async function measureLive(options: LiveOptions): Promise<LiveMeasurement> {
  const before = loadavg()[0] ?? 0;
  const samples = new Map<Entrant, Sample[]>(entrants.map((entrant) => [entrant, []]));
  const progress = new Progress(options.rounds * options.parts.length);
  for (let round = 0; round < options.rounds; round++) {
    for (const part of partNames.filter((name) => options.parts.includes(name))) {
      progress.show(`round ${round + 1}: ${part}`);
      for (const [entrant, sample] of await measureRound(part, options)) samples.get(entrant)?.push(sample);
      progress.step();
    }
  }
  const publishing: PublishingRound[] = [];
  for (let round = 0; options.parts.includes("publish") && round < options.rounds; round++) {
    progress.show(`round ${round + 1}: publish`);
    publishing.push(await measurePublishing());
    progress.step();
  }
  progress.end();
  const results = [...samples]
    .filter(([, list]) => list.length > 0)
    .map(([entrant, list]) => ({ entrant: entrant.name, samples: list }));
  return { results, publishing, load: { before, after: loadavg()[0] ?? 0 } };
}

async function measureRound(part: PartName, options: LiveOptions): Promise<Map<Entrant, Sample>> {
  const own = entrants.filter((entrant) => entrant.part === part);
  const children: LiveChild[] = [];
  try {
    const [load] = await LiveChild.start({ file: "load-process.ts", role: "load" });
    children.push(load);
    const perform = <T>(command: LoadCommand) => load.ask<T>(command);
    const servers = new Map<Entrant, LiveChild>();
    for (const entrant of own) {
      const profile = options.profile ? entrant.name : undefined;
      const start = { file: "server-process.ts", args: [entrant.server], role: "server", profile } as const;
      const [server, port] = await LiveChild.start<number>(start);
      children.push(server);
      servers.set(entrant, server);
      await perform({ type: "connect", entrant: entrant.name, port, count: clients[part] });
      await warmUp(options.warmup, () => perform({ type: "run", entrant: entrant.name, milliseconds: 1000 }));
    }
    const sums = new Map<Entrant, Sample>();
    for (let slice = 0; slice < options.seconds; slice++) {
      for (const entrant of inTurn(own, slice)) {
        const server = servers.get(entrant);
        const before = server?.processorTime ?? 0;
        const { messages, seconds } = await perform<Slice>({ type: "run", entrant: entrant.name, milliseconds: 1000 });
        const processor = (server?.processorTime ?? 0) - before;
        const sum = sums.get(entrant) ?? { messages: 0, seconds: 0, processor: 0 };
        sums.set(entrant, {
          messages: sum.messages + messages,
          seconds: sum.seconds + seconds,
          processor: sum.processor + processor,
        });
      }
    }
    return sums;
  } finally {
    await Promise.all(children.map((child) => child.stop()));
  }
}

/** Until V8 has optimized the server, but at most five times as long. */
async function warmUp(seconds: number, run: () => Promise<Slice>): Promise<void> {
  let messages = 0;
  for (let second = 0; second < seconds || (messages < warmMessages && second < seconds * 5); second++) {
    messages += (await run()).messages;
  }
}

const measures = {
  rate: ({ messages, seconds }: Sample) => messages / seconds,
  processor: ({ messages, processor }: Sample) => messages / processor,
};
type MeasureName = keyof typeof measures;

/** How much an entrant does in a second, of the clock or of the processor, beside the first one of its part: a ratio for each round. */
export function ratiosOf(results: readonly LiveResult[], entrant: Entrant, by: MeasureName): Spread {
  const first = entrants.find(({ part }) => part === entrant.part);
  const valuesOf = (name: string | undefined) =>
    results.find((result) => result.entrant === name)?.samples.map(measures[by]) ?? [];
  const bare = valuesOf(first?.name);
  return spreadOf(valuesOf(entrant.name).map((value, round) => value / (bare[round] ?? Number.NaN)));
}

export function toLiveTable({ results, publishing, load }: LiveMeasurement): string {
  const tables = partNames.flatMap((part) => {
    const own = entrants.filter(
      (entrant) => entrant.part === part && results.some((result) => result.entrant === entrant.name),
    );
    if (own.length === 0) return [];
    const rows = own.map((entrant, index) => {
      const samples = results.find((result) => result.entrant === entrant.name)?.samples ?? [];
      const medianOf = (values: readonly number[]) => spreadOf(values).median;
      const ratio = (by: MeasureName) => {
        const { median, low, high } = ratiosOf(results, entrant, by);
        return index === 0 ? ["", ""] : [median.toFixed(2), `${low.toFixed(2)}–${high.toFixed(2)}`];
      };
      const isMet = ratiosOf(results, entrant, "processor").median >= target;
      return [
        entrant.label,
        Math.round(medianOf(samples.map(measures.rate))).toLocaleString("en"),
        ...ratio("rate"),
        medianOf(samples.map((sample) => 1_000_000 / measures.processor(sample))).toFixed(2),
        ...ratio("processor"),
        entrant.server === "tenon" ? `${target}: ${isMet ? "met" : "missed"}` : "",
      ];
    });
    const head = ["", "messages/s", "ratio", "spread", "processor µs", "ratio", "spread", "by processor"];
    return [`${part}, ${clients[part]} clients\n${toTable(head, rows)}`];
  });
  const setting = `load average ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after`;
  const rest = publishing.length === 0 ? [] : [describePublishing(publishing)];
  return [...tables, ...rest, setting].join("\n\n");
}
