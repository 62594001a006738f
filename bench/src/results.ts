import { type Spread, spreadOf } from "./statistics.ts";

/** One peer in one round of one scenario. */
export interface Sample {
  readonly scenario: string;
  readonly peer: string;
  readonly round: number;
  /** All its requests over all its seconds: a median of the seconds jumps between the speeds of a disturbed machine. */
  readonly perSecond: number;
  /** Requests in each second of its turns. */
  readonly rates: readonly number[];
  /** Microseconds of processor time for each request; 0 where the system does not tell. */
  readonly processor: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Bytes in memory after the load. */
  readonly resident: number;
}

/** The peer that others are measured by. */
export const baseline = "node";

/**
 * Requests per second; or, where the machine does other work at the same time, how many a second of processor time
 * pays for, which that work disturbs less.
 */
export type Measure = "rate" | "processor";

function worthOf(sample: Sample, measure: Measure): number {
  return measure === "rate" ? sample.perSecond : 1e6 / sample.processor;
}

/** How many times as many requests as another peer, round by round: other load on the machine affects both. */
function ratioTo(
  samples: readonly Sample[],
  scenario: string,
  [peer, other]: readonly [string, string],
  measure: Measure,
): Spread | undefined {
  const of = (name: string) => samples.filter((sample) => sample.scenario === scenario && sample.peer === name);
  const others = of(other);
  const ratios = of(peer).flatMap((sample) => {
    const twin = others.find(({ round }) => round === sample.round);
    return twin === undefined ? [] : [worthOf(sample, measure) / worthOf(twin, measure)];
  });
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}

export interface Summary {
  readonly scenario: string;
  readonly peer: string;
  readonly perSecond: number;
  /** Relative to bare node:http, or to the peer that replaces it; undefined when neither was measured. */
  readonly ratio: Spread | undefined;
  readonly processor: number;
  readonly p99: number;
  readonly resident: number;
}

export function summarize(samples: readonly Sample[], measure: Measure): Summary[] {
  const groups = Map.groupBy(samples, ({ scenario, peer }) => `${scenario} ${peer}`);
  return [...groups.values()].map((group) => {
    const { scenario, peer } = group[0] as Sample; // a group has at least one
    const middle = (read: (sample: Sample) => number) => spreadOf(group.map(read)).median;
    return {
      scenario,
      peer,
      perSecond: middle((sample) => sample.perSecond),
      ratio: ratioTo(samples, scenario, [peer, baselineOf(scenario)], measure),
      processor: middle((sample) => sample.processor),
      p99: middle((sample) => sample.p99),
      resident: middle((sample) => sample.resident),
    };
  });
}

/** The reference service has no bare twin: it is measured by Fastify's. */
export function baselineOf(scenario: string): string {
  return scenario === "posts" ? "fastify-schema" : baseline;
}
