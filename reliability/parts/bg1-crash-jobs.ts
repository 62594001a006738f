import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../../packages/core/test/support/random.ts";
import { Figures, type Part, type PartOptions } from "../part.ts";
import { JobLedger, type LedgerEntry } from "../support/job-ledger.ts";
import { becomesTrue, JobProcess } from "../support/job-process.ts";
import { type JobStoreCase, jobStores } from "../support/job-stores.ts";

/** Milliseconds: the ends of jobs are written together, so a job that ended so shortly before a kill was still running. */
const writing = 1000;
const lease = 2000;
/** Milliseconds. On a machine where a start takes longer, a process lives longer before it is killed, or it does nothing. */
const usualStart = 700;

export const part: Part = {
  id: "BG1",
  title: "kill -9 of workers and of processes that enqueue, with a ledger",
  bar: "200 kills during 20,000 jobs: 0 acknowledged jobs lost, duplicates only of jobs that ran at a kill",
  needs: [],
  async run(options) {
    const random = new Random(options.seed);
    const figures = new Figures().show("seed", String(random.seed));
    for (const store of jobStores) await crash(store, random, figures, options);
    return figures.done();
  },
};

function crash(store: JobStoreCase, random: Random, figures: Figures, { short, say }: PartOptions): Promise<void> {
  const kills = short ? 6 : 200 / jobStores.length;
  const total = short ? 300 : 20_000 / jobStores.length;
  return store.with(async (url, folder) => {
    const file = join(folder, "ledger");
    const ledger = new JobLedger(file);
    const killed = new Map<number, number>();
    let numbers = 0;
    const take = (count: number) => Array.from({ length: count }, () => ++numbers);
    const enqueue = (child: JobProcess, count: number) =>
      child.ask({ type: "enqueue", jobs: take(count), ms: random.below(20), lanes: 8 });
    let left = kills;
    /** Starts a process, kills it at a random time, and starts the next one, until all kills are done. */
    const keepKilling = async (concurrency: number) => {
      while (left > 0) {
        left--;
        const begun = performance.now();
        const child = await JobProcess.start({ url, ledger: file, lease, concurrency });
        const slowness = Math.min(10, Math.max(1, (performance.now() - begun) / usualStart));
        if (concurrency === 0) enqueue(child, Math.ceil((3 * total) / kills)).catch(() => {}); // it dies on the way
        await sleep(slowness * random.below(500));
        killed.set(child.pid, Date.now());
        await child.kill();
        say(`${store.name}: kill ${kills - left} of ${kills}`);
      }
    };
    const first = await JobProcess.start({ url, ledger: file, lease });
    await first.ask({ type: "enqueue", jobs: take(200), ms: 400, lanes: 8 }); // kills find jobs that run
    await first.kill();
    await Promise.all([keepKilling(10), keepKilling(10), keepKilling(0)]);

    const [worker, enqueuer] = await Promise.all([
      JobProcess.start({ url, ledger: file, lease, concurrency: 20 }),
      JobProcess.start({ url, ledger: file, lease }),
    ]);
    try {
      await enqueue(enqueuer, Math.max(10, total - ledger.jobs("enqueued").size));
      const acknowledged = ledger.jobs("enqueued");
      const lost = () => acknowledged.difference(ledger.jobs("finished")).size;
      say(`${store.name}: ${lost()} of ${acknowledged.size} jobs are left`);
      await becomesTrue(() => lost() === 0, 120_000, 250);
      const open = "select count(*) as count from tenon_jobs where state in ('queued', 'running', 'scheduled')";
      const isEmpty = async () =>
        Number((await enqueuer.ask<[{ count: number }]>({ type: "query", sql: open }))[0].count) === 0;
      await becomesTrue(isEmpty, 10_000, 250);
      const { again, wrong } = findRepeated(ledger.read(), killed);
      figures
        .show(`${store.name}: kills`, killed.size)
        .show(`${store.name}: acknowledged`, acknowledged.size)
        .exactly(`${store.name}: lost`, lost(), 0)
        .show(`${store.name}: started again after a kill`, again)
        .exactly(`${store.name}: started again without one`, wrong.length, 0)
        .holds(`${store.name}: no job is left`, await isEmpty())
        .holds(`${store.name}: kills hit running jobs`, again > 0);
      if (wrong.length > 0) figures.note(`started again without a kill: ${wrong.slice(0, 5).join(", ")}`);
    } finally {
      await Promise.all([worker.kill(), enqueuer.kill()]);
    }
  });
}

/** Every start of a job but its last must have been in a process that was killed while the job ran. */
function findRepeated(entries: readonly LedgerEntry[], killed: ReadonlyMap<number, number>) {
  const starts = Map.groupBy(
    entries.filter(({ event }) => event === "started"),
    ({ job }) => job,
  );
  const ends = new Map(entries.filter(({ event }) => event === "finished").map((entry) => [keyOf(entry), entry.at]));
  let again = 0;
  const wrong: number[] = [];
  for (const [job, runs] of starts) {
    for (const run of runs.slice(0, -1)) {
      again++;
      const at = killed.get(run.process);
      const end = ends.get(keyOf(run));
      if (at === undefined || (end !== undefined && end < at - writing)) wrong.push(job);
    }
  }
  return { again, wrong };
}

function keyOf({ job, process: pid }: LedgerEntry): string {
  return `${job} ${pid}`;
}
