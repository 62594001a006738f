import { randomInt, randomUUID } from "node:crypto";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inTurn } from "../order.ts";
import { createFolder } from "../prepare.ts";
import { Progress } from "../progress.ts";
import { median } from "../statistics.ts";
import { toTable } from "../table.ts";
import type { EngineInfo } from "./engine.ts";
import { EngineChild, type Throughput } from "./engine-child.ts";
import { engines } from "./engines.ts";
import { describeTransactions, measureTransactions, type Transactions } from "./transactions.ts";
import { redisUrl, withDatabase } from "./trial-store.ts";

const count = 500;
const lanes = 10;
/** Milliseconds of running jobs: pg-boss would take minutes for all by default. */
const limit = 10_000;
const latencySamples = 40;
const idleSeconds = 10;

export interface JobsResult {
  readonly engine: string;
  readonly throughput: readonly Throughput[];
  /** Milliseconds from the commit to the start, with an idle worker. */
  readonly latency: readonly number[];
  /** The share of a core that an idle worker uses. */
  readonly idle: number;
}

export interface JobsMeasurement {
  readonly results: readonly JobsResult[];
  readonly transactions: Transactions;
  readonly load: { readonly before: number; readonly after: number };
}

/** Rounds of throughput in turn, so that ratios are taken within a round; then latency and idle cost of each. */
export async function measureJobs(rounds: number): Promise<JobsMeasurement> {
  const before = loadavg()[0] ?? 0;
  const progress = new Progress(rounds * engines.length + engines.length + 1);
  const throughput = new Map<EngineInfo, Throughput[]>(engines.map((engine) => [engine, []]));
  for (let round = 0; round < rounds; round++) {
    for (const engine of inTurn(engines, round)) {
      progress.show(`round ${round + 1}: ${engine.label}`);
      throughput.get(engine)?.push(await withEngine(engine, (start) => measureThroughput(start)));
      progress.step();
    }
  }
  const results: JobsResult[] = [];
  for (const engine of engines) {
    progress.show(`latency and idle cost: ${engine.label}`);
    const isBare = engine.name.startsWith("bare");
    const rest = isBare ? { latency: [], idle: Number.NaN } : await withEngine(engine, (start) => measureIdle(start));
    results.push({ engine: engine.name, throughput: throughput.get(engine) ?? [], ...rest });
    progress.step();
  }
  progress.show("transactions");
  const transactions = await measureTransactions(rounds);
  progress.end();
  return { results, transactions, load: { before, after: loadavg()[0] ?? 0 } };
}

type Start = () => Promise<EngineChild>;

async function measureThroughput(start: Start): Promise<Throughput> {
  const child = await start();
  return child.perform<Throughput>({ type: "throughput", count, lanes, limit });
}

async function measureIdle(start: Start): Promise<{ latency: number[]; idle: number }> {
  const [worker, enqueuer] = [await start(), await start()];
  await worker.perform({ type: "work", concurrency: lanes });
  const latency: number[] = [];
  for (let job = 1; job <= latencySamples; job++) {
    await enqueuer.perform({ type: "enqueue", jobs: [{ job, ms: 0 }] });
    const committed = Date.now();
    const started = await worker.when("started", job, limit);
    if (started !== undefined) latency.push(Math.max(0, started - committed));
    await sleep(randomInt(100, 300)); // at any moment of its poll interval
  }
  await sleep(2000);
  const before = await worker.perform<number>({ type: "processor" });
  await sleep(idleSeconds * 1000);
  const after = await worker.perform<number>({ type: "processor" });
  return { latency, idle: (after - before) / 1_000_000 / idleSeconds };
}

async function withEngine<T>(engine: EngineInfo, body: (start: Start) => Promise<T>): Promise<T> {
  return withDatabase(async (postgresUrl) => {
    const urls = {
      postgres: postgresUrl,
      redis: `${redisUrl}/${randomUUID()}`,
      sqlite: `sqlite:${join(createFolder(), "jobs.db")}`,
    };
    const url = urls[engine.store];
    await engine.prepare(url);
    const children: EngineChild[] = [];
    try {
      return await body(async () => {
        const child = await EngineChild.start({ engine: engine.name, settings: "default", url, postgresUrl });
        children.push(child);
        return child;
      });
    } finally {
      await Promise.all(children.map((child) => child.kill()));
      await engine.clean?.(url);
    }
  });
}

/** What a ratio compares an engine with: the bare statements on the same store. */
const bareOf: Readonly<Record<string, string>> = { "tenon-sqlite": "bare-sqlite", "tenon-postgres": "bare-postgres" };

export function ratioToBare(results: readonly JobsResult[], engine: string, by: "cost" | "processor"): number {
  const costs = (name: string | undefined) =>
    results.find((result) => result.engine === name)?.throughput.map((sample) => sample[by]) ?? [];
  const bare = costs(bareOf[engine]);
  return median(costs(engine).map((cost, round) => (bare[round] ?? Number.NaN) / cost));
}

export function toJobsTable({ results, transactions, load }: JobsMeasurement): string {
  const rows = results.map(({ engine, throughput, latency, idle }) => {
    const of = (key: "enqueued" | "ran") =>
      Math.round(median(throughput.map((sample) => sample[key]))).toLocaleString("en");
    const ratio = (by: "cost" | "processor") =>
      bareOf[engine] === undefined ? "" : ratioToBare(results, engine, by).toFixed(2);
    const sorted = latency.toSorted((a, b) => a - b);
    const at = (share: number) =>
      sorted.length === 0 ? "" : Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
    const info = engines.find(({ name }) => name === engine);
    return [
      info?.label ?? engine,
      of("enqueued"),
      of("ran"),
      ratio("cost"),
      median(throughput.map(({ processor }) => processor)).toFixed(2),
      ratio("processor"),
      at(0.5),
      at(0.95),
      Number.isNaN(idle) ? "" : `${(idle * 100).toFixed(2)} %`,
      info?.afterCrash ?? "",
    ];
  });
  const head = [
    "",
    "enqueued/s",
    "ran/s",
    "to bare",
    "processor ms",
    "to bare",
    "start ms p50",
    "p95",
    "idle core",
    "job of a crashed worker",
  ];
  const setting = `${count} jobs of no work, ${lanes} at a time, default settings; load average ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after`;
  return `${toTable(head, rows)}\n\n${setting}\n${describeTransactions(transactions)}`;
}
