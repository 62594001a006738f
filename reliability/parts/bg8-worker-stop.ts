import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Figures, type Part } from "../part.ts";
import { JobLedger } from "../support/job-ledger.ts";
import { becomesTrue, withJobProcesses } from "../support/job-process.ts";
import { type JobStoreCase, jobStores } from "../support/job-stores.ts";

const running = 50;
const stopTimeout = 2000;
const long = 120_000;

export const part: Part = {
  id: "BG8",
  title: "SIGTERM with 50 running jobs, half of which end within the stop timeout",
  bar: "those end; the others run elsewhere within 1 s after the timeout, without a lost attempt; exit 0",
  needs: [],
  alone: true, // it measures times
  async run({ short, say }) {
    const rounds = short ? 1 : 5;
    const figures = new Figures().show("rounds", rounds);
    for (const store of jobStores) {
      const totals = { finished: 0, elsewhere: 0, attempts: 0, slowest: 0, exits: [] as unknown[] };
      for (let round = 0; round < rounds; round++) {
        await stopOnce(store, totals);
        say(`${store.name}: stop ${round + 1} of ${rounds}`);
      }
      figures
        .exactly(`${store.name}: ended in time`, totals.finished, (rounds * running) / 2)
        .exactly(`${store.name}: elsewhere`, totals.elsewhere, (rounds * running) / 2)
        .inTime(`${store.name}: elsewhere s after the timeout`, totals.slowest / 1000, 1)
        .exactly(`${store.name}: attempts lost`, totals.attempts, 0)
        .exactly(`${store.name}: exit code not 0`, totals.exits.filter((code) => code !== 0).length, 0);
    }
    return figures.done();
  },
};

interface Totals {
  finished: number;
  elsewhere: number;
  attempts: number;
  slowest: number;
  readonly exits: unknown[];
}

function stopOnce(store: JobStoreCase, totals: Totals): Promise<void> {
  return store.with((url, folder) =>
    withJobProcesses(async (start) => {
      const file = join(folder, "ledger");
      const ledger = new JobLedger(file);
      const options = { url, ledger: file, lease: 30_000, stopTimeout };
      const first = await start({ ...options, concurrency: running });
      const second = await start(options);
      const numbers = Array.from({ length: running }, (_, index) => index + 1);
      await second.ask({ type: "enqueue", jobs: numbers, ms: long, lanes: 10 });
      await becomesTrue(() => ledger.jobs("started").size === running, 20_000);
      const other = await start({ ...options, concurrency: running });
      const stopped = Date.now();
      first.signal("SIGTERM");
      await sleep(300);
      // in one message: on a busy machine 25 could take longer than the stop
      await first.ask({ type: "finish", jobs: numbers.filter((job) => job % 2 === 1) });
      const again = () => ledger.read().filter((entry) => entry.event === "started" && entry.process === other.pid);
      await becomesTrue(() => again().length >= running / 2, stopTimeout + 15_000);
      totals.finished += ledger.jobs("finished").size;
      totals.elsewhere += again().length;
      totals.slowest = Math.max(totals.slowest, ...again().map(({ at }) => at - stopped - stopTimeout));
      const rows = await second.ask<{ attempt: number }[]>({ type: "query", sql: "select attempt from tenon_jobs" });
      totals.attempts += rows.filter(({ attempt }) => Number(attempt) !== 1).length;
      totals.exits.push(await first.exit());
    }),
  );
}
