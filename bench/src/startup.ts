import { setTimeout as sleep } from "node:timers/promises";
import { load, prepareLoad } from "./load.ts";
import type { Options } from "./options.ts";
import { inTurn } from "./order.ts";
import type { PeerInfo } from "./peers.ts";
import { buildPackages, compileNest, createFolder } from "./prepare.ts";
import { Progress } from "./progress.ts";
import { createScenarios } from "./scenarios.ts";
import { Server } from "./server.ts";
import { median, type Spread, spreadOf } from "./statistics.ts";
import { toMegabytes, toTable } from "./table.ts";

export interface StartSample {
  readonly peer: string;
  readonly round: number;
  /** Milliseconds from the start of the process to its first response. */
  readonly start: number;
  /** Bytes in memory, shortly after it. */
  readonly atRest: number;
}

export interface StartResult {
  readonly samples: readonly StartSample[];
  /** Bytes in memory after the requests, by peer. */
  readonly loaded: ReadonlyMap<string, number>;
}

const manyRequests = 100_000;
const longest = 60;
const rest = 500;

type StartOptions = Pick<Options, "peers" | "rounds" | "tenon">;

/** A hello-world API: the time to its first response, and its memory. */
export async function measureStarts(options: StartOptions): Promise<StartResult> {
  const [scenario] = await createScenarios();
  if (scenario === undefined) throw new Error("there are no scenarios");
  if (options.peers.some(({ compiled }) => compiled === true)) compileNest();
  if (options.tenon === "dist") buildPackages();
  const script = prepareLoad(scenario, createFolder());
  const rounds = options.rounds * 2; // a start is short, and the speed of the disk varies
  const progress = new Progress(options.peers.length * (rounds + 1));
  const samples: StartSample[] = [];
  for (let round = -1; round < rounds; round++) {
    for (const peer of inTurn(options.peers, round + 1)) {
      progress.show("cold start", `round ${round + 1}, ${peer.label}`);
      const sample = await startOnce(peer, round, options);
      if (round >= 0) samples.push(sample); // the first one warms the file cache
      progress.step();
    }
  }
  const loaded = new Map<string, number>();
  for (const peer of options.peers) {
    progress.show("memory after 100,000 requests", peer.label);
    loaded.set(peer.name, await residentAfterLoad(peer, script, options));
  }
  progress.end();
  return { samples, loaded };
}

/** In a process of its own. */
export async function startOnce(
  peer: PeerInfo,
  round: number,
  { tenon }: Pick<Options, "tenon">,
): Promise<StartSample> {
  const server = await Server.start(peer, "json", { tenon, database: "" });
  try {
    const response = await fetch(`http://127.0.0.1:${server.port}/`, { headers: { connection: "close" } });
    await response.text();
    const start = performance.now() - server.begun;
    await sleep(rest);
    return { peer: peer.name, round, start, atRest: server.resident };
  } finally {
    await server.stop();
  }
}

async function residentAfterLoad(peer: PeerInfo, script: string, { tenon }: StartOptions): Promise<number> {
  const server = await Server.start(peer, "json", { tenon, database: "" });
  try {
    let requests = 0;
    for (let second = 0; second < longest && requests < manyRequests; second++) {
      requests += (await load(server.port, script, 1)).requests;
    }
    if (requests < manyRequests) throw new Error(`${peer.name} completed only ${requests} requests in ${longest} s`);
    await sleep(rest);
    return server.resident;
  } finally {
    await server.stop();
  }
}

export function startRatio({ samples }: Pick<StartResult, "samples">, peer: string, other: string): Spread {
  const of = (name: string, round: number) =>
    samples.find((sample) => sample.peer === name && sample.round === round)?.start ?? Number.NaN;
  const rounds = samples.filter((sample) => sample.peer === peer).map(({ round }) => round);
  return spreadOf(rounds.map((round) => of(peer, round) / of(other, round)));
}

export function residentAtRest({ samples }: Pick<StartResult, "samples">, peer: string): number {
  return median(samples.filter((sample) => sample.peer === peer).map(({ atRest }) => atRest));
}

export function toStartTable(result: StartResult, peers: readonly PeerInfo[]): string {
  const hasBaseline = peers.some(({ name }) => name === "node");
  const rows = peers.map(({ name, label }) => {
    const own = result.samples.filter(({ peer }) => peer === name);
    return [
      label,
      median(own.map(({ start }) => start)).toFixed(0),
      hasBaseline ? startRatio(result, name, "node").median.toFixed(2) : "",
      toMegabytes(residentAtRest(result, name)),
      toMegabytes(result.loaded.get(name) ?? 0),
    ];
  });
  return toTable(["", "start ms", "ratio", "MB at rest", "MB after 100,000"], rows);
}
