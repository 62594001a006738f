import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Contest, Entrant } from "./entrant.ts";
import { prepareLoad } from "./load.ts";
import type { Options } from "./options.ts";
import { inTurn } from "./order.ts";
import { serves } from "./peers.ts";
import { buildPackages, compileNest, createFolder, fillDatabase } from "./prepare.ts";
import { Progress } from "./progress.ts";
import type { Sample } from "./results.ts";
import { createScenarios } from "./scenarios.ts";
import type { ServerOptions } from "./server.ts";

type RunOptions = Pick<
  Options,
  "scenarios" | "peers" | "rounds" | "seconds" | "warmup" | "together" | "tenon" | "profile"
>;

interface RoundOptions extends Pick<Options, "seconds" | "warmup" | "together"> {
  readonly round: number;
  readonly show: (detail: string) => void;
}

/** Every peer in every scenario that it serves, round after round. */
export async function runScenarios(options: RunOptions): Promise<Sample[]> {
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
  const turns = scenarios.map((scenario) => {
    const script = prepareLoad(scenario, folder);
    const own = options.peers.filter((peer) => serves(peer, scenario.name));
    return { scenario, contests: own.map((peer): Contest => ({ peer, scenario, script })) };
  });
  const progress = new Progress(turns.length * options.rounds);
  const samples: Sample[] = [];
  for (let round = 0; round < options.rounds; round++) {
    for (const { scenario, contests } of turns) {
      const show = (detail: string) =>
        progress.show(`round ${round + 1}, ${scenario.letter}) ${scenario.title}`, detail);
      samples.push(...(await runRound(contests, server, { ...options, round, show })));
      progress.step();
    }
  }
  progress.end();
  return samples;
}

/**
 * Starts the servers anew, warms them up and loads them second by second, in turn or all together. The samples have the
 * order of the contests.
 */
export async function runRound(
  contests: readonly Contest[],
  server: ServerOptions,
  { round, seconds, warmup, together, show }: RoundOptions,
): Promise<Sample[]> {
  const entrants = new Map<Contest, Entrant>();
  /** One after the other, or all at the same time. */
  const each = async (turn: number, work: (contest: Contest) => Promise<void>) => {
    if (together) {
      show("all together");
      const works = contests.map(work);
      await Promise.allSettled(works); // when one fails, the others have started and can be stopped
      await Promise.all(works);
      return;
    }
    for (const contest of inTurn(contests, turn)) {
      show(contest.peer.label);
      await work(contest);
    }
  };
  try {
    await each(round, async (contest) => {
      const entrant = await Entrant.start(contest, server);
      entrants.set(contest, entrant);
      await entrant.warmUp({ seconds: warmup, check: round === 0 });
    });
    for (let second = 0; second < seconds; second++) {
      await each(second, async (contest) => entrants.get(contest)?.load());
    }
    return contests.flatMap((contest) => entrants.get(contest)?.sample(round) ?? []);
  } finally {
    await Promise.all([...entrants.values()].map((entrant) => entrant.stop()));
  }
}

function profileFolder(): string {
  const folder = fileURLToPath(new URL("../results/profiles/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  return folder;
}
