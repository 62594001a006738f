import { type ScenarioName, scenarioNames } from "../peers/support/serve.ts";
import { type Bar, type BarResult, fewestRounds, measureParts, Part, verdictOf } from "./bar.ts";
import type { Contest } from "./entrant.ts";
import { prepareLoad } from "./load.ts";
import { startModules } from "./modules.ts";
import type { Options } from "./options.ts";
import { inTurn } from "./order.ts";
import { type PeerInfo, peers } from "./peers.ts";
import { buildPackages, createFolder, fillDatabase } from "./prepare.ts";
import { Progress } from "./progress.ts";
import { growthOf, measureRouter } from "./router.ts";
import { runRound } from "./run.ts";
import { createScenarios, type Scenario } from "./scenarios.ts";
import { residentAtRest, type StartSample, startOnce, startRatio } from "./startup.ts";
import { intervalOf } from "./statistics.ts";
import { toTable } from "./table.ts";

interface Rival {
  readonly name: string;
  readonly peer: string;
  /** What it serves, where that is not the scenario itself. */
  readonly scenario?: ScenarioName;
  /** How many times as many requests Tenon must serve in the same processor time. */
  readonly limit: number;
}

const fastify = (limit: number): Rival => ({ name: "Fastify", peer: "fastify-schema", limit });
const bare = (limit: number): Rival => ({ name: "node:http", peer: "node", limit });

const undeclared: Rival = { name: "itself without declarations", peer: "tenon-plain", limit: 0.95 };

/** What Tenon is compared with in each scenario. */
const rivals: Readonly<Record<ScenarioName, readonly Rival[]>> = {
  json: [fastify(1.6), bare(1.4)],
  params: [fastify(1.6), bare(1.4)],
  body: [fastify(1.4), bare(1.1), undeclared],
  middlewares: [fastify(1.6), bare(1.4)],
  list: [fastify(1), bare(1.05), undeclared],
  routes: [fastify(1.6), bare(1.4)],
  bearer: [{ name: "(a), without a guard", peer: "tenon", scenario: "json", limit: 0.85 }], // it costs at most 15 %
  posts: [fastify(1)],
};

const load = { together: true, seconds: 3, warmup: 1 };

export async function measureBars(options: Options): Promise<BarResult[]> {
  const limit = options.minutes * 60_000;
  const progress = new Progress(limit, () => performance.now());
  progress.show("preparing");
  const folder = createFolder();
  const scenarios = await createScenarios();
  if (options.tenon === "dist") buildPackages();
  const server = { tenon: options.tenon, database: options.scenarios.includes("posts") ? fillDatabase(folder) : "" };

  const contest = (name: ScenarioName, peer: string): Contest => {
    const scenario = scenarioOf(scenarios, name);
    return { peer: peerOf(peer), scenario, script: prepareLoad(scenario, folder) };
  };
  const toPart = (name: ScenarioName): Part => {
    const { letter, title } = scenarioOf(scenarios, name);
    const bars = rivals[name].map((rival) => atLeast(`(${letter}) to ${rival.name}`, rival.limit));
    const contests = [
      contest(name, "tenon"),
      ...rivals[name].map(({ peer, scenario = name }) => contest(scenario, peer)),
    ];
    return new Part(bars, async (round) => {
      const show = (detail: string) => progress.show(`round ${round + 1}, ${letter}) ${title}`, detail);
      const [own, ...others] = await runRound(contests, server, { ...load, round, show });
      return others.map(({ processor }) => processor / (own?.processor ?? Number.NaN));
    });
  };
  const parts = options.scenarios.map(toPart);
  if (options.scenarios.length === scenarioNames.length) parts.push(...otherParts(options, progress));
  const results = await measureParts(parts, () => performance.now() < limit);
  progress.end();
  return results;
}

/** They come after the scenarios, whose servers have brought the files into memory that a cold start reads. */
function otherParts(options: Options, progress: Progress): Part[] {
  const started = ["tenon", "node", "fastify-schema"].map(peerOf);
  return [
    new Part([atMost("cold start to node:http", 1.5), atMost("memory at rest to Fastify", 1.3)], async (round) => {
      progress.show(`round ${round + 1}, cold start and memory`);
      const samples: StartSample[] = [];
      for (const peer of inTurn(started, round)) samples.push(await startOnce(peer, round, options));
      const atRest = (peer: string) => residentAtRest({ samples }, peer);
      return [startRatio({ samples }, "tenon", "node").median, atRest("tenon") / atRest("fastify-schema")];
    }),
    new Part(
      [atMost("look-up, 10,000 routes to 10", 1.5), atMost("build of 10,000 routes", 100, " ms")],
      async (round) => {
        progress.show(`round ${round + 1}, router`);
        const result = await measureRouter("Tenon", [10, 10_000]);
        return [growthOf(result), result.build[10_000] ?? Number.NaN];
      },
    ),
    new Part([atMost("start of 1,000 modules", 150, " ms")], async (round) => {
      progress.show(`round ${round + 1}, 1,000 modules`);
      return [startModules(options.tenon)];
    }),
  ];
}

export function atLeast(name: string, limit: number): Bar {
  return { name, kind: "at least", limit, unit: "" };
}

export function atMost(name: string, limit: number, unit: Bar["unit"] = ""): Bar {
  return { name, kind: "at most", limit, unit };
}

export function peerOf(name: string): PeerInfo {
  const peer = peers.find((info) => info.name === name);
  if (peer === undefined) throw new Error(`there is no peer "${name}"`);
  return peer;
}

export function scenarioOf(scenarios: readonly Scenario[], name: ScenarioName): Scenario {
  const scenario = scenarios.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario "${name}"`);
  return scenario;
}

export function toBarTable(results: readonly BarResult[]): string {
  const rows = results.map((result) => {
    const show = (value: number) => value.toFixed(result.unit === "" ? 2 : 0);
    const { estimate, low, high } = intervalOf(result.values);
    return [
      result.name,
      `${result.kind} ${result.limit}${result.unit}`,
      result.values.length === 0 ? "" : `${show(estimate)}${result.unit}`,
      result.values.length < fewestRounds ? "" : `${show(low)} to ${show(high)}`,
      result.values.length,
      result.seconds.toFixed(0),
      verdictOf(result),
    ];
  });
  const count = (verdict: string) => results.filter((result) => verdictOf(result) === verdict).length;
  const total = `${count("met")} met, ${count("missed")} missed, ${count("undecided")} undecided`;
  const advice = `Undecided: the limit is inside the interval, or there are fewer than ${fewestRounds} rounds. Try a quieter machine, or more --minutes.`;
  return [
    toTable(["Tenon", "bar", "estimate", "99 % interval", "rounds", "seconds", "verdict"], rows),
    "",
    `${total}, after ${(performance.now() / 60_000).toFixed(1)} minutes`,
    ...(count("undecided") > 0 ? [advice] : []),
  ].join("\n");
}
