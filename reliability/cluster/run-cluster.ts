import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../../packages/core/test/support/random.ts";
import { Figures, type FigureTable, type PartOptions, type PartResult, round } from "../part.ts";
import type { Verdict } from "./check/lines.ts";
import { type ClusterPart, checkHistory } from "./check.ts";
import { Cluster, instanceNames, type Stores } from "./cluster.ts";
import { describeFault, type Fault, generateFaults, kinds } from "./faults.ts";
import { History } from "./history.ts";
import { inject } from "./inject.ts";
import { keepFiles, keepFilesOnError } from "./keep-files.ts";
import { Probe } from "./probe.ts";
import { startWorkload } from "./workload.ts";

/** Milliseconds between the end of a round of faults and the next one. */
const calm = 2000;

/** How long a round of faults took, and for how many seconds reads and writes were not normal. */
interface Measured {
  readonly faults: readonly Fault[];
  readonly lasted: number;
  readonly reads: number;
  readonly writes: number;
  readonly throughProxy: number;
}

/** One run of the cluster with its faults, judged for each part by the history of its clients. */
export async function runCluster(options: PartOptions): Promise<PartResult> {
  const results = await judgeRun(options, options.short ? "short" : "full");
  return { figures: {}, ok: false, byPart: Object.fromEntries(results.map(([id, result]) => [id, result.done()])) };
}

/** A shorter run with Redis for sessions, tokens, limits and channels, as one part. */
export async function runRedisCluster(options: PartOptions): Promise<PartResult> {
  const results = (await judgeRun(options, "redis")).map(([id, result]) => [id, result.done()] as const);
  const notes = results.flatMap(([id, { note }]) => (note === undefined ? [] : [`${id}: ${note}`]));
  const table = results[0]?.[1].table;
  return {
    figures: Object.assign({}, ...results.map(([, { figures }]) => figures)),
    ok: results.every(([, { ok }]) => ok),
    ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
    ...(table === undefined ? {} : { table }),
  };
}

type Form = Parameters<typeof generateFaults>[1];

async function judgeRun({ seed: given, say }: PartOptions, form: Form): Promise<(readonly [ClusterPart, Figures])[]> {
  const { seed } = new Random(given);
  const stores = form === "redis" ? "redis" : "postgres";
  say("the cluster starts");
  const cluster = await Cluster.start(stores);
  const history = new History(join(cluster.folder, "history.jsonl"));
  const judge = async () => {
    const measured = await disturb(cluster, history, { rounds: generateFaults(seed, form), seed, stores, say });
    history.close(); // after an error the clients still write
    const verdicts = checkHistory(history.file);
    const ids = Object.keys(verdicts) as ClusterPart[]; // the keys of a literal
    const results = ids.map((id) => [id, toFigures(seed, verdicts[id])] as const);
    results[0]?.[1].show("faults", measured.flatMap(({ faults }) => faults).length).table(toTable(measured));
    const missed = results.filter(([, result]) => !result.done().ok);
    for (const [, result] of missed) result.note(`history and logs: ${keepFiles(cluster.folder)}`);
    return results;
  };
  try {
    return await keepFilesOnError(cluster.folder, judge());
  } finally {
    await cluster.close();
  }
}

function toFigures(seed: number, { figures, findings }: Verdict): Figures {
  const result = new Figures().show("seed", String(seed));
  for (const [name, value] of Object.entries(figures)) result.show(name, value);
  for (const finding of findings.slice(0, 5)) result.miss(finding);
  return findings.length > 5 ? result.miss(`and ${findings.length - 5} more`) : result;
}

async function disturb(
  cluster: Cluster,
  history: History,
  options: {
    readonly rounds: readonly (readonly Fault[])[];
    readonly seed: number;
    readonly stores: Stores;
    readonly say: (text: string) => void;
  },
): Promise<Measured[]> {
  const { url, databaseUrl } = cluster;
  const { rounds, seed, stores, say } = options;
  const instanceUrls = Object.values(cluster.instances).map((instance) => instance.url);
  const probe = await Probe.start(cluster);
  const workload = startWorkload({ url, instanceUrls, databaseUrl, history, seed, stores });
  const measured: Measured[] = [];
  for (const [index, faults] of rounds.entries()) {
    await sleep(calm);
    say(`${index + 1} of ${rounds.length}: ${faults.map(describeFault).join(", ")}`);
    const [start, invoked] = [performance.now(), Date.now()];
    await Promise.all(
      faults.map((fault) => inject(cluster, fault, (name, isHarmed) => probe.setHarmed(name, isHarmed))),
    );
    const lasted = (performance.now() - start) / 1000;
    for (const fault of faults) {
      const values = { kind: fault.kind, what: describeFault(fault) };
      history.write({ op: "fault", client: "harness", invoked, ended: Date.now(), outcome: "ok", values });
    }
    await cluster.untilHealthy();
    await sleep(calm);
    measured.push({
      faults,
      lasted,
      reads: probe.troubleSince(start, "read", instanceNames),
      writes: probe.troubleSince(start, "write", instanceNames),
      throughProxy: probe.troubleSince(start, "write", ["front"]),
    });
  }
  say("the load ends, and what was acknowledged is read back");
  await probe.stop();
  await workload.stop();
  await workload.verify();
  return measured;
}

/** By the kind of fault, of the rounds with one fault only: where two happen at once, neither is the cause alone. */
function toTable(measured: readonly Measured[]): FigureTable {
  const longest = (rounds: readonly Measured[], name: "lasted" | "reads" | "writes" | "throughProxy") =>
    rounds.length === 0 ? "–" : round(Math.max(...rounds.map((one) => one[name])));
  return {
    columns: [
      "seconds, the longest of each kind",
      "times",
      "fault",
      "reads not normal",
      "writes not normal",
      "writes through HAProxy not normal",
    ],
    rows: [...kinds, "redis restart" as const].flatMap((kind) => {
      const times = measured.flatMap(({ faults }) => faults).filter((fault) => fault.kind === kind).length;
      const alone = measured.filter(({ faults }) => faults.length === 1 && faults[0]?.kind === kind);
      if (times === 0) return [];
      const columns = (["lasted", "reads", "writes", "throughProxy"] as const).map((name) => longest(alone, name));
      return [[kind, times, ...columns]];
    }),
  };
}
