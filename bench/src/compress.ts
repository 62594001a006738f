import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { fewPosts, posts } from "../peers/support/data.ts";
import type { ExtraName } from "../peers/support/serve.ts";
import { type BarResult, measureParts, Part } from "./bar.ts";
import { atLeast, peerOf } from "./bars.ts";
import type { Contest } from "./entrant.ts";
import { prepareLoad } from "./load.ts";
import type { Options } from "./options.ts";
import { buildPackages, createFolder } from "./prepare.ts";
import { Progress } from "./progress.ts";
import { runRound } from "./run.ts";
import type { Scenario } from "./scenarios.ts";

const load = { together: true, seconds: 3, warmup: 1 };
const rivals = { fastify: "Fastify", node: "node:http" };

const scenarios = [
  toScenario("compressed-few", "JSON of 2 kB, gzip", "/posts", "gzip", fewPosts),
  toScenario("compressed-list", "JSON of 15 kB, gzip", "/posts", "gzip", posts),
  toScenario("precompressed", "a precompressed file, br", "/posts.json", "br", posts),
];

function toScenario(
  name: ExtraName,
  title: string,
  path: string,
  encoding: string,
  json: unknown,
): Scenario<ExtraName> {
  const request = { method: "GET", path, headers: { "accept-encoding": encoding } } as const;
  return { name, letter: "", title, requests: [request], expectations: [{ request, status: 200, json, encoding }] };
}

/** Compressed responses, by the processor time of all threads: zlib compresses on threads of its own where it may. */
export async function measureCompress(options: Options): Promise<BarResult[]> {
  const limit = options.minutes * 60_000;
  const progress = new Progress(limit, () => performance.now());
  progress.show("preparing");
  const folder = createFolder();
  process.env.BENCH_FILES = writeFiles(folder);
  if (options.tenon === "dist") buildPackages();
  const server = { tenon: options.tenon, database: "" };

  const parts = scenarios.map((scenario) => {
    const script = prepareLoad(scenario, folder);
    const contests = ["tenon", ...Object.keys(rivals)].map((peer): Contest => {
      return { peer: peerOf(peer), scenario, script };
    });
    const bars = Object.values(rivals).map((name) => atLeast(`${scenario.title}, to ${name}`, 1));
    return new Part(bars, async (round) => {
      const show = (detail: string) => progress.show(`round ${round + 1}, ${scenario.title}`, detail);
      const [own, ...others] = await runRound(contests, server, { ...load, round, show });
      return others.map(({ processor }) => processor / (own?.processor ?? Number.NaN));
    });
  });
  const results = await measureParts(parts, () => performance.now() < limit);
  progress.end();
  return results;
}

function writeFiles(folder: string): string {
  const file = join(folder, "posts.json");
  const text = JSON.stringify(posts);
  writeFileSync(file, text);
  writeFileSync(`${file}.br`, brotliCompressSync(text));
  const time = new Date("2026-01-01T00:00:00Z");
  for (const path of [file, `${file}.br`]) utimesSync(path, time, time);
  return folder;
}
