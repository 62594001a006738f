import { measureModules } from "./modules.ts";
import type { Options } from "./options.ts";
import { type PeerInfo, peers } from "./peers.ts";
import { type Measure, ratioTo, type Sample, unguarded, worthOf } from "./results.ts";
import { growthOf, measureRouters } from "./router.ts";
import type { RouterResult } from "./router-child.ts";
import { runScenarios } from "./run.ts";
import { measureStarts, residentAtRest, startRatio } from "./startup.ts";
import { median, type Spread, spreadOf } from "./statistics.ts";
import { toTable } from "./table.ts";

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  /** Whether the value must reach the limit or must not pass it. */
  readonly kind: "at least" | "at most";
  readonly unit: string;
  /** Over the rounds, where there are any. */
  readonly spread?: Spread;
}

export function isMet({ kind, value, limit }: Bar): boolean {
  return kind === "at least" ? value >= limit : value <= limit; // NaN is neither
}

const beside = ["json", "params", "body", "middlewares", "list", "routes", "posts"];
const besideBare = ["json", "params", "middlewares", "routes"];
const needed = ["node", "tenon", "fastify-schema"];
const routerTurns = 3;

/** Whether a bar compares with this peer there: the time of a run belongs to those. */
function isCompared({ name }: PeerInfo, scenario: string): boolean {
  return name === "tenon" || (name === "node" ? besideBare : beside).includes(scenario);
}

/** The bars of the scenarios that were measured. */
export function scenarioBars(samples: readonly Sample[], measure: Measure): Bar[] {
  const scenarios = [...new Set(samples.map(({ scenario }) => scenario))];
  const ratio = (scenario: string, other: string): Bar[] => {
    const spread = ratioTo(samples, scenario, ["tenon", other], measure);
    if (spread === undefined) return [];
    const limit = other === "node" ? 0.97 : 1;
    return [
      { name: `${scenario}: Tenon to ${other}`, value: spread.median, limit, kind: "at least", unit: "", spread },
    ];
  };
  return [
    ...scenarios.filter((name) => beside.includes(name)).flatMap((name) => ratio(name, "fastify-schema")),
    ...scenarios.filter((name) => besideBare.includes(name)).flatMap((name) => ratio(name, "node")),
    ...guardCost(samples, measure),
  ];
}

/** What share of the requests of scenario (a) the guard of (g) costs, loaded in turn with it. */
function guardCost(samples: readonly Sample[], measure: Measure): Bar[] {
  const of = (scenario: string) => samples.filter((sample) => sample.scenario === scenario && sample.peer === "tenon");
  const open = of(unguarded);
  const costs = of("bearer").flatMap((sample) => {
    const twin = open.find(({ round }) => round === sample.round);
    return twin === undefined ? [] : [100 * (1 - worthOf(sample, measure) / worthOf(twin, measure))];
  });
  if (costs.length === 0) return [];
  const spread = spreadOf(costs);
  return [{ name: "bearer: cost of the guard", value: spread.median, limit: 15, kind: "at most", unit: " %", spread }];
}

export interface BarResult {
  readonly bars: Bar[];
  readonly samples: Sample[];
}

export async function measureBars(options: Options): Promise<BarResult> {
  const own = { ...options, peers: peers.filter(({ name }) => needed.includes(name)) };
  const samples = await runScenarios(own, isCompared);
  const starts = await measureStarts(own);
  const routers = await measureOwnRouter();
  const memory = residentAtRest(starts, "tenon") / residentAtRest(starts, "fastify-schema");
  const bars: Bar[] = [
    ...scenarioBars(samples, options.measure),
    {
      name: "look-up, 10,000 routes to 10",
      value: median(routers.map(growthOf)),
      limit: 1.5,
      kind: "at most",
      unit: "",
    },
    {
      name: "build of 10,000 routes",
      value: median(routers.map(({ build }) => build[10_000] ?? Number.NaN)),
      limit: 100,
      kind: "at most",
      unit: " ms",
    },
    {
      name: "start of 1,000 modules",
      value: measureModules(options).median,
      limit: 150,
      kind: "at most",
      unit: " ms",
    },
    {
      name: "cold start to bare node:http",
      value: startRatio(starts, "tenon", "node").median,
      limit: 1.5,
      kind: "at most",
      unit: "",
    },
    { name: "memory at rest to Fastify", value: memory, limit: 1.3, kind: "at most", unit: "" },
  ];
  return { bars, samples };
}

/** In processes of their own, because one may be disturbed from its start to its end. */
async function measureOwnRouter(): Promise<RouterResult[]> {
  const results: RouterResult[] = [];
  for (let turn = 0; turn < routerTurns; turn++) {
    results.push(...Object.values(await measureRouters(["Tenon"])));
  }
  return results;
}

export function toBarTable(bars: readonly Bar[]): string {
  const rows = bars.map((bar) => {
    const show = (value: number) => value.toFixed(bar.unit === "" ? 2 : 1);
    return [
      bar.name,
      `${show(bar.value)}${bar.unit}`,
      bar.spread === undefined ? "" : `${show(bar.spread.low)} to ${show(bar.spread.high)}`,
      `${bar.kind} ${bar.limit}${bar.unit}`,
      isMet(bar) ? "met" : "MISSED",
    ];
  });
  return toTable(["bar", "value", "rounds", "asked for", ""], rows);
}
