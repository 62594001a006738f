import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Entrant } from "./entrant.ts";
import { prepareLoad } from "./load.ts";
import type { Options } from "./options.ts";
import { serves } from "./peers.ts";
import { buildPackages, compileNest, createFolder, fillDatabase } from "./prepare.ts";
import { Progress } from "./progress.ts";
import type { Sample } from "./results.ts";
import { createScenarios } from "./scenarios.ts";
import type { ServerOptions } from "./server.ts";

type RunOptions = Pick<Options, "scenarios" | "peers" | "rounds" | "seconds" | "warmup" | "tenon" | "profile">;

/** Rounds: in each, the peers of a scenario are started anew and warmed up, then loaded in turn, second by second. */
export async function runScenarios(options: RunOptions): Promise<Sample[]> {
  const folder = createFolder();
  const scenarios = (await createScenarios()).filter(({ name }) => options.scenarios.includes(name));
  if (options.peers.some(({ compiled }) => compiled === true)) compileNest();
  if (options.tenon === "dist" && options.peers.some(({ name }) => name === "tenon")) buildPackages();
  const server: ServerOptions = {
    tenon: options.tenon,
    database: options.scenarios.includes("posts") ? fillDatabase(folder) : "",
    profile: options.profile ? profileFolder() : undefined,
  };
  const turns = scenarios.map((scenario) => ({
    scenario,
    peers: options.peers.filter((peer) => serves(peer, scenario.name)),
    script: prepareLoad(scenario, folder),
  }));
  const progress = new Progress(turns.length * options.rounds);
  const samples: Sample[] = [];
  for (let round = 0; round < options.rounds; round++) {
    for (const { scenario, peers, script } of turns) {
      const label = `round ${round + 1}, ${scenario.letter}) ${scenario.title}`;
      const entrants: Entrant[] = [];
      try {
        for (const peer of rotate(peers, round)) {
          progress.show(label, peer.label);
          entrants.push(await Entrant.start(peer, scenario, script, server));
          await entrants.at(-1)?.warmUp({ seconds: options.warmup, check: round === 0 });
        }
        for (let second = 0; second < options.seconds; second++) {
          for (const entrant of rotate(entrants, second)) {
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

/** Each turn begins with another peer: none always comes first, or on a cold machine. */
function rotate<T>(list: readonly T[], by: number): T[] {
  const start = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}

function profileFolder(): string {
  const folder = fileURLToPath(new URL("../results/profiles/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  return folder;
}
