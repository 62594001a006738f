import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ScenarioName } from "../peers/support/serve.ts";
import { type Contest, Entrant } from "./entrant.ts";
import { prepareLoad } from "./load.ts";
import type { Options } from "./options.ts";
import { inTurn } from "./order.ts";
import { type PeerInfo, serves } from "./peers.ts";
import { buildPackages, compileNest, createFolder, fillDatabase } from "./prepare.ts";
import { Progress } from "./progress.ts";
import { type Sample, unguarded } from "./results.ts";
import { createScenarios, type Scenario } from "./scenarios.ts";
import type { ServerOptions } from "./server.ts";

type RunOptions = Pick<
  Options,
  "scenarios" | "peers" | "rounds" | "seconds" | "warmup" | "together" | "tenon" | "profile"
>;
type Takes = (peer: PeerInfo, scenario: ScenarioName) => boolean;

/** Rounds: in each, the peers of a scenario are started anew and warmed up, then loaded second by second, in turn or all. */
export async function runScenarios(options: RunOptions, takes: Takes = serves): Promise<Sample[]> {
  const folder = createFolder();
  const all = await createScenarios();
  const scenarios = all.filter(({ name }) => options.scenarios.includes(name));
  if (options.peers.some(({ compiled }) => compiled === true)) compileNest();
  if (options.tenon === "dist" && options.peers.some(({ name }) => name === "tenon")) buildPackages();
  const server: ServerOptions = {
    tenon: options.tenon,
    database: options.scenarios.includes("posts") ? fillDatabase(folder) : "",
    profile: options.profile ? profileFolder() : undefined,
  };
  const turns = scenarios.map((scenario) => ({
    scenario,
    contests: toContests(scenario, all, options.peers, takes, folder),
  }));
  const progress = new Progress(turns.length * options.rounds);
  const samples: Sample[] = [];
  for (let round = 0; round < options.rounds; round++) {
    for (const { scenario, contests } of turns) {
      const label = `round ${round + 1}, ${scenario.letter}) ${scenario.title}`;
      const entrants: Entrant[] = [];
      try {
        for (const contest of inTurn(contests, round)) {
          progress.show(label, contest.peer.label);
          entrants.push(await Entrant.start(contest, server));
          await entrants.at(-1)?.warmUp({ seconds: options.warmup, check: round === 0 });
        }
        for (let second = 0; second < options.seconds; second++) {
          if (options.together) {
            progress.show(label, "all together");
            await Promise.all(entrants.map((entrant) => entrant.load()));
            continue;
          }
          for (const entrant of inTurn(entrants, second)) {
            progress.show(label, entrant.label);
            await entrant.load();
          }
        }
        samples.push(...entrants.map((entrant) => entrant.sample(round)));
      } finally {
        await Promise.all(entrants.map((entrant) => entrant.stop()));
      }
      progress.step();
    }
  }
  progress.end();
  return samples;
}

/** Every peer that takes part in the scenario; beside (g), Tenon's (a) as well, because minutes later a machine is another one. */
function toContests(
  scenario: Scenario,
  all: readonly Scenario[],
  peers: readonly PeerInfo[],
  takes: Takes,
  folder: string,
): readonly Contest[] {
  const script = prepareLoad(scenario, folder);
  const contests = peers
    .filter((peer) => takes(peer, scenario.name))
    .map((peer): Contest => ({ peer, scenario, script, as: scenario.name }));
  const tenon = peers.find(({ name }) => name === "tenon");
  const json = all.find(({ name }) => name === "json");
  if (scenario.name !== "bearer" || tenon === undefined || json === undefined) return contests;
  return [...contests, { peer: tenon, scenario: json, script: prepareLoad(json, folder), as: unguarded }];
}

function profileFolder(): string {
  const folder = fileURLToPath(new URL("../results/profiles/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  return folder;
}
