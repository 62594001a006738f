import { join } from "node:path";
import { Random } from "../../packages/core/test/support/random.ts";
import { Figures, type Part, type PartOptions } from "../part.ts";
import { JobLedger } from "../support/job-ledger.ts";
import { becomesTrue, type JobCommand, JobProcess } from "../support/job-process.ts";
import { type JobStoreCase, jobStores } from "../support/job-stores.ts";

type Transactions = Extract<JobCommand, { readonly type: "transactions" }>["list"];

const lanes = 2;

export const part: Part = {
  id: "BG2",
  title: "jobs enqueued in transactions that commit, roll back or crash, beside a row of the application",
  bar: "5,000 transactions: a job exists if and only if its row does, and none starts before its row is committed",
  needs: [],
  async run(options) {
    const random = new Random(options.seed);
    const figures = new Figures().show("seed", String(random.seed));
    for (const store of jobStores) await transact(store, random, figures, options);
    return figures.done();
  },
};

function transact(store: JobStoreCase, random: Random, figures: Figures, { short, say }: PartOptions): Promise<void> {
  const total = short ? 100 : 5000 / jobStores.length;
  const perCrash = short ? 25 : 50;
  return store.with(async (url, folder) => {
    const file = join(folder, "ledger");
    const worker = await JobProcess.start({ url, ledger: file, concurrency: 10 });
    let number = 0;
    let crashes = 0;
    const lane = async () => {
      while (number < total) {
        const list: Transactions = Array.from({ length: perCrash }, (_, index) => {
          const job = ++number;
          if (index === perCrash - 1) return { job, end: "crash", delay: random.below(4) };
          return { job, end: random.below(2) === 0 ? "commit" : "rollback", delay: 0 };
        });
        const child = await JobProcess.start({ url, ledger: file });
        await child.ask({ type: "transactions", list }).catch(() => {}); // its end is a crash
        if (!(await becomesTrue(() => !child.alive, 10_000))) throw new Error("a process survived its crash");
        crashes++;
        say(`${store.name}: ${number} of ${total} transactions`);
      }
    };
    try {
      await Promise.all(Array.from({ length: lanes }, lane));
      const rows = await worker.ask<{ job: number }[]>({ type: "query", sql: "select job from facts" });
      const facts = new Set(rows.map(({ job }) => Number(job)));
      const ledger = new JobLedger(file);
      await becomesTrue(() => facts.difference(ledger.jobs("finished")).size === 0, 30_000, 100);
      const stored = await worker.ask<{ input: string; error: string | null }[]>({
        type: "query",
        sql: "select input, error from tenon_jobs",
      });
      const jobs = new Set(stored.map(({ input }) => (JSON.parse(input) as { job: number }).job)); // as enqueued
      figures
        .show(`${store.name}: transactions`, number)
        .show(`${store.name}: crashes`, crashes)
        .show(`${store.name}: rows`, facts.size)
        .exactly(`${store.name}: rows without a job`, facts.difference(jobs).size, 0)
        .exactly(`${store.name}: jobs without a row`, jobs.difference(facts).size, 0)
        .exactly(`${store.name}: twice`, stored.length - jobs.size, 0)
        .exactly(`${store.name}: not run`, facts.difference(ledger.jobs("finished")).size, 0)
        .exactly(`${store.name}: started before the row`, stored.filter(({ error }) => error !== null).length, 0);
    } finally {
      await worker.kill();
    }
  });
}
