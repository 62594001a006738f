import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { checkAnswers } from "./check.ts";
import { load, prepareLoad } from "./load.ts";
import type { Options } from "./options.ts";
import { type PeerInfo, serves } from "./peers.ts";
import { buildPackages, compileNest, createFolder, fillDatabase } from "./prepare.ts";
import { Progress } from "./progress.ts";
import type { Sample } from "./results.ts";
import { createScenarios, type Scenario } from "./scenarios.ts";
import { Server, type ServerOptions } from "./server.ts";

type RunOptions = Pick<Options, "scenarios" | "peers" | "rounds" | "seconds" | "warmup" | "tenon" | "profile">;

/** Interleaved rounds: in each, every peer is started anew, warmed up, measured and stopped. */
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
  const progress = new Progress(turns.reduce((sum, { peers }) => sum + peers.length * options.rounds, 0));
  const samples: Sample[] = [];
  for (let round = 0; round < options.rounds; round++) {
    for (const { scenario, peers, script } of turns) {
      for (const peer of rotate(peers, round)) {
        progress.show(`round ${round + 1}, ${scenario.letter}) ${scenario.title}`, peer.label);
        samples.push(await measure(peer, scenario, round, script, server, options));
        progress.step();
      }
    }
  }
  progress.end();
  return samples;
}

async function measure(
  peer: PeerInfo,
  scenario: Scenario,
  round: number,
  script: string,
  serverOptions: ServerOptions,
  { warmup, seconds }: RunOptions,
): Promise<Sample> {
  const server = await Server.start(peer, scenario.name, serverOptions);
  try {
    if (round === 0) await checkAnswers(server.port, peer.name, scenario);
    await warmUp(server.port, script, warmup);
    const before = server.processorTime;
    const { requests, seconds: taken, p50, p99 } = await load(server.port, script, seconds);
    const { resident, processorTime } = server;
    const processor = ((processorTime - before) / requests) * 1e6;
    const perSecond = requests / taken;
    return { scenario: scenario.name, peer: peer.name, round, perSecond, processor, p50, p99, resident };
  } catch (error) {
    throw new Error(`${peer.name} in "${scenario.name}": ${(error as Error).message}`, { cause: error });
  } finally {
    await server.stop();
  }
}

const warmRequests = 100_000;

/** Until the code is compiled as it stays: that takes a number of requests, and longer on a machine that is not idle. */
async function warmUp(port: number, script: string, seconds: number): Promise<void> {
  let requests = 0;
  for (let second = 0; second < 5 * seconds; second++) {
    if (second >= seconds && requests >= warmRequests) return;
    requests += (await load(port, script, 1)).requests;
  }
}

/** Each round begins with another peer: none always follows the same one, or comes first on a cold machine. */
function rotate<T>(list: readonly T[], by: number): T[] {
  const start = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}

function profileFolder(): string {
  const folder = fileURLToPath(new URL("../results/profiles/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  return folder;
}
