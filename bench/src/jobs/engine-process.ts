// `node src/jobs/engine-process.ts <engine> <settings> <url>`: one engine, driven by messages of its parent.
import pg from "pg";
import type { BenchJob, Settings } from "./engine.ts";
import type { Command, Report, Throughput } from "./engine-child.ts";
import { engineOf } from "./engines.ts";

const [, , name = "", settings = "default", url = ""] = process.argv;
const engine = await engineOf(name).open(url, settings as Settings); // the parent wrote it

const finish = new Map<number, () => void>();

function report(message: Report): void {
  process.send?.(message);
}

async function run({ job, ms }: BenchJob, signal: AbortSignal | undefined): Promise<void> {
  report({ event: "started", job, at: Date.now() });
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    finish.set(job, resolve);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      report({ event: "aborted", job, at: Date.now() });
      reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    });
  });
  report({ event: "finished", job, at: Date.now() });
}

/** Enqueues in a transaction that also writes a row, and ends it. */
async function enqueueWithRow(job: BenchJob, end: "commit" | "rollback" | "crash"): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.BENCH_POSTGRES_URL });
  await client.connect();
  await client.query("begin");
  await client.query("insert into bench_facts (job) values ($1)", [job.job]);
  await engine.enqueue([job], client);
  if (end === "crash") process.kill(process.pid, "SIGKILL");
  await client.query(end);
  await client.end();
}

async function measureThroughput(count: number, lanes: number, limit: number): Promise<Throughput> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1).values();
  const begun = performance.now();
  const cpu = process.cpuUsage();
  const lane = async () => {
    for (const job of numbers) await engine.enqueue([{ job, ms: 0 }]);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const enqueued = performance.now();
  const adding = { time: (enqueued - begun) / count, processor: toMilliseconds(process.cpuUsage(cpu)) / count };
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limit);
  let ran = 0;
  let first = 0; // opening connections is not counted
  let cpuAtFirst = cpu;
  const run = async () => {
    if (first === 0) {
      first = performance.now();
      cpuAtFirst = process.cpuUsage();
    }
    if (++ran === count) resolve();
  };
  const working = engine.work({ concurrency: lanes, run });
  await promise;
  const time = (performance.now() - first) / ran;
  const processor = toMilliseconds(process.cpuUsage(cpuAtFirst)) / ran;
  clearTimeout(timer);
  await working;
  return {
    enqueued: 1000 / adding.time,
    ran: 1000 / time,
    cost: adding.time + time,
    processor: adding.processor + processor,
  };
}

function toMilliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

async function perform(command: Command): Promise<unknown> {
  switch (command.type) {
    case "enqueue":
      return engine.enqueue(command.jobs);
    case "work":
      return engine.work({ concurrency: command.concurrency, run });
    case "finish":
      for (const job of command.jobs) finish.get(job)?.();
      return undefined;
    case "transaction":
      return enqueueWithRow(command.job, command.end);
    case "throughput":
      return measureThroughput(command.count, command.lanes, command.limit);
    case "processor": {
      const { user, system } = process.cpuUsage();
      return user + system;
    }
  }
}

process.on("message", (command: Command) => {
  void perform(command).then((value) => report({ event: "done", at: Date.now(), value }));
});
process.on("disconnect", () => process.exit(0));
process.once("SIGTERM", () => void engine.stop().then(() => process.exit(0)));
report({ event: "done", at: Date.now() });
