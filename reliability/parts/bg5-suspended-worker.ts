import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JobRecord } from "@tenon/jobs";
import { Figures, type Part } from "../part.ts";
import { JobLedger } from "../support/job-ledger.ts";
import { becomesTrue, withJobProcesses } from "../support/job-process.ts";
import { jobStores } from "../support/job-stores.ts";

const lease = 1000;
const long = 60_000;

export const part: Part = {
  id: "BG5",
  title: "a worker that is suspended (SIGSTOP) for longer than its lease, and goes on",
  bar: "its job runs elsewhere, and the late worker cannot complete it, fail it or change its result",
  needs: [],
  async run({ short, say }) {
    const rounds = short ? 2 : 10;
    const figures = new Figures().show("rounds", rounds);
    for (const store of jobStores) {
      const totals = { elsewhere: 0, open: 0, result: 0, aborted: 0, slowest: 0 };
      await store.with((url, folder) =>
        withJobProcesses(async (start) => {
          const file = join(folder, "ledger");
          const ledger = new JobLedger(file);
          const options = { url, ledger: file, lease };
          const enqueuer = await start(options);
          for (let job = 1; job <= rounds; job++) {
            const started = (pid: number) =>
              ledger.read().find((entry) => entry.event === "started" && entry.job === job && entry.process === pid);
            const first = await start({ ...options, concurrency: 1 });
            await enqueuer.ask({ type: "enqueue", jobs: [job], ms: long, lanes: 1 });
            await becomesTrue(() => started(first.pid) !== undefined, 10_000);
            const suspendedAt = Date.now();
            first.signal("SIGSTOP");
            const second = await start({ ...options, concurrency: 1 });
            if (await becomesTrue(() => started(second.pid) !== undefined, 15_000)) totals.elsewhere++;
            totals.slowest = Math.max(totals.slowest, (started(second.pid)?.at ?? 0) - suspendedAt);
            first.signal("SIGCONT");
            await first.ask({ type: "finish", jobs: [job] }); // in every second round it may have been aborted before
            await sleep(job % 2 === 0 ? 300 : lease);
            const find = () => enqueuer.ask<JobRecord | undefined>({ type: "find", id: job });
            if ((await find())?.state === "running") totals.open++;
            await second.ask({ type: "finish", jobs: [job] });
            await becomesTrue(async () => (await find())?.state === "done", 5000);
            const record = await find();
            if (record?.state === "done" && record.result === second.pid && record.attempt === 2) totals.result++;
            if (ledger.read().some((entry) => entry.event === "aborted" && entry.process === first.pid))
              totals.aborted++;
            await Promise.all([first.kill(), second.kill()]);
            say(`${store.name}: round ${job} of ${rounds}`);
          }
        }),
      );
      figures
        .exactly(`${store.name}: ran elsewhere`, totals.elsewhere, rounds)
        .show(`${store.name}: slowest s after the suspension`, totals.slowest / 1000)
        .exactly(`${store.name}: open after the late end`, totals.open, rounds)
        .exactly(`${store.name}: result of the second run`, totals.result, rounds)
        .show(`${store.name}: late handlers aborted`, totals.aborted);
    }
    return figures.done();
  },
};
