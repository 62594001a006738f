import { join } from "node:path";
import { percentile } from "../../apps/reference/scripts/support/statistics.ts";
import { Figures, type Part, type PartOptions, round } from "../part.ts";
import { JobLedger } from "../support/job-ledger.ts";
import { becomesTrue, type JobProcess, type JobProcessOptions, withJobProcesses } from "../support/job-process.ts";
import { type JobStoreCase, jobStores } from "../support/job-stores.ts";

const few = 1000;
const batch = 5000;
/** Claims of each store in one turn. */
const claims = 30;
const turns = 12;

export const part: Part = {
  id: "BG9",
  title: "a claim with 1,000 and with 1,000,000 queued jobs",
  bar: "a claim takes at most 1.5 × as long; the worker's memory stays flat; the table shrinks afterwards",
  needs: [],
  alone: true, // it measures times
  async run(options) {
    const figures = new Figures();
    for (const store of jobStores) await grow(store, figures, options);
    return figures.done();
  },
};

function grow(store: JobStoreCase, figures: Figures, { short, say }: PartOptions): Promise<void> {
  const many = short ? 20_000 : 1_000_000;
  const drained = short ? 2000 : 20_000;
  return inTwoStores(store, async ([url, file], small, start) => {
    const ledger = new JobLedger(file);
    const large = await start({ url, ledger: file, keep: 0 });
    await fill(small, few, () => {});
    await fill(large, many, (count) => say(`${store.name}: ${count} jobs`));
    const { ofFew, ofMany } = await compareClaims(small, large);
    const largest = await sizesOf(store, large);

    const worker = await start({ url, ledger: file, keep: 0, concurrency: 20 });
    const finished = () => ledger.read().filter(({ event }) => event === "finished").length;
    await becomesTrue(() => finished() >= drained / 10, 120_000, 100);
    const before = await worker.ask<number>({ type: "memory" });
    await becomesTrue(() => finished() >= drained, 300_000, 100);
    const after = await worker.ask<number>({ type: "memory" });
    await worker.kill();

    say(`${store.name}: pruning`);
    // running them all would take minutes: they end as if they had run
    const end = "update tenon_jobs set state = 'done', expires_at = 0, lease_until = null";
    await large.ask({ type: "query", sql: end });
    await large.ask({ type: "prune" });
    await large.ask({ type: "vacuum" });
    const smallest = await sizesOf(store, large);
    const counting = "select count(*) as count from tenon_jobs";
    const [left] = await large.ask<[{ count: number }]>({ type: "query", sql: counting });
    figures
      .show(`${store.name}: jobs`, many)
      .show(`${store.name}: claim ms with ${few}`, round(percentile(ofFew, 0.5)))
      .show(`${store.name}: claim ms with all`, round(percentile(ofMany, 0.5)))
      .inTime(`${store.name}: of that with ${few}`, percentile(ofMany, 0.5) / percentile(ofFew, 0.5), 1.5)
      .atMost(`${store.name}: heap growth MB over ${drained} jobs`, (after - before) / 2 ** 20, 5)
      .exactly(`${store.name}: rows left`, Number(left.count), 0)
      .show(`${store.name}: table MB`, round(largest.table / 2 ** 20))
      .atMost(`${store.name}: table afterwards, of that`, smallest.table / largest.table, 0.2)
      .show(`${store.name}: with indexes MB`, `${round(largest.all / 2 ** 20)} to ${round(smallest.all / 2 ** 20)}`);
  });
}

type Start = (options: JobProcessOptions) => Promise<JobProcess>;

/** A store for many jobs, and a process on another one for few. */
function inTwoStores(
  store: JobStoreCase,
  body: (large: readonly [url: string, ledger: string], small: JobProcess, start: Start) => Promise<void>,
): Promise<void> {
  return store.with((url, folder) =>
    store.with((other, otherFolder) =>
      withJobProcesses(async (start) => {
        const small = await start({ url: other, ledger: join(otherFolder, "ledger"), keep: 0 });
        await body([url, join(folder, "ledger")], small, start);
      }),
    ),
  );
}

async function fill(child: JobProcess, count: number, onBatch: (count: number) => void): Promise<void> {
  for (let total = 0; total < count; ) {
    const size = Math.min(batch, count - total);
    await child.ask({ type: "enqueue many", from: total + 1, count: size });
    total += size;
    onBatch(total);
  }
}

/** In turn, so that other load on the machine affects both. */
async function compareClaims(small: JobProcess, large: JobProcess): Promise<{ ofFew: number[]; ofMany: number[] }> {
  const [ofFew, ofMany]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn++) {
    ofFew.push(...(await small.ask<number[]>({ type: "claim times", count: claims })));
    ofMany.push(...(await large.ask<number[]>({ type: "claim times", count: claims })));
  }
  const warmUp = 2 * claims;
  return { ofFew: ofFew.slice(warmUp), ofMany: ofMany.slice(warmUp) };
}

/** Bytes. PostgreSQL uses the pages of an index again and does not give them back; those of SQLite are in one file. */
async function sizesOf(store: JobStoreCase, child: JobProcess): Promise<{ table: number; all: number }> {
  const sql =
    store.name === "SQLite"
      ? 'select page_count * page_size as "table", page_count * page_size as "all" from pragma_page_count(), pragma_page_size()'
      : `select pg_relation_size('tenon_jobs') as "table", pg_total_relation_size('tenon_jobs') as "all"`;
  const [sizes] = await child.ask<[{ table: number; all: number }]>({ type: "query", sql });
  return { table: Number(sizes.table), all: Number(sizes.all) };
}
