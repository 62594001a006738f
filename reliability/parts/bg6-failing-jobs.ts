import { join } from "node:path";
import { percentile } from "../../apps/reference/scripts/support/statistics.ts";
import { Figures, type Part, type PartOptions } from "../part.ts";
import { JobLedger } from "../support/job-ledger.ts";
import { becomesTrue, type JobProcess, withJobProcesses } from "../support/job-process.ts";
import { type JobStoreCase, jobStores } from "../support/job-stores.ts";

const attempts = 3;
/** The duration of a good job: the worker's concurrency limits the throughput, not the processor. */
const ms = 25;

export const part: Part = {
  id: "BG6",
  title: "jobs that always fail beside good ones",
  bar: "one failing job to twenty good ones: the good ones end at least 0.9 × as fast as alone; failing ones are dead after their attempts",
  needs: [],
  alone: true, // it measures throughput
  async run(options) {
    const figures = new Figures();
    for (const store of jobStores) await compare(store, figures, options);
    return figures.done();
  },
};

/** Rounds with and without failing jobs in turn: other load on the machine changes more slowly. */
function compare(store: JobStoreCase, figures: Figures, { short, say }: PartOptions): Promise<void> {
  const rounds = short ? 3 : 7;
  const good = short ? 300 : 2000;
  const bad = good / 20;
  return store.with((url, folder) =>
    withJobProcesses(async (start) => {
      const file = join(folder, "ledger");
      const ledger = new JobLedger(file);
      const enqueuer = await start({ url, ledger: file });
      const worker = await start({ url, ledger: file, concurrency: 10 });
      const measure = createMeasure(enqueuer, ledger, good);
      await measure(0); // warm-up
      const ratios: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const order = round % 2 === 0 ? [0, bad] : [bad, 0];
        const times = new Map<number, number>();
        for (const failing of order) times.set(failing, await measure(failing));
        ratios.push((times.get(bad) ?? Number.NaN) / (times.get(0) ?? Number.NaN));
        say(`${store.name}: round ${round + 1} of ${rounds}`);
      }
      const failed = "select attempt, state from tenon_jobs where name = 'bg/fail'";
      const read = () => enqueuer.ask<{ attempt: number; state: string }[]>({ type: "query", sql: failed });
      await becomesTrue(async () => (await read()).every(({ state }) => state === "dead"), 10_000, 100);
      const rows = await read();
      figures
        .inTime(`${store.name}: time beside failing jobs, by that alone`, percentile(ratios, 0.5), 1 / 0.9)
        .exactly(`${store.name}: dead`, rows.filter(({ state }) => state === "dead").length, bad * rounds)
        .exactly(
          `${store.name}: with other than ${attempts} attempts`,
          rows.filter(({ attempt }) => attempt !== attempts).length,
          0,
        )
        .holds(`${store.name}: the worker lives`, worker.alive);
    }),
  );
}

/** The milliseconds from the first start to the last end of `good` jobs, with `failing` others among them. */
function createMeasure(enqueuer: JobProcess, ledger: JobLedger, good: number) {
  let from = 1;
  return async (failing: number): Promise<number> => {
    const first = from;
    from += good;
    await enqueuer.ask({ type: "query", sql: setPaused(1) });
    if (failing > 0) await enqueuer.ask({ type: "enqueue many", from: first, count: failing, failing: true });
    await enqueuer.ask({ type: "enqueue many", from: first, count: good, ms });
    await enqueuer.ask({ type: "query", sql: setPaused(0) });
    const own = () => ledger.read().filter(({ job }) => job >= first);
    await becomesTrue(() => own().filter(({ event }) => event === "finished").length === good, 120_000, 50);
    const entries = own().filter(({ event }) => event === "started" || event === "finished");
    return (entries.at(-1)?.at ?? 0) - (entries[0]?.at ?? 0);
  };
}

/** As `jobs pause` and `jobs resume` do. */
function setPaused(paused: 0 | 1): string {
  return `insert into tenon_job_queues (name, paused) values ('default', ${paused}) on conflict (name) do update set paused = ${paused}`;
}
