import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../../packages/core/test/support/random.ts";
import { Figures, type Part, type PartOptions } from "../part.ts";
import { becomesTrue, JobProcess } from "../support/job-process.ts";
import { type JobStoreCase, jobStores } from "../support/job-stores.ts";

const period = 200;
const instances = 3;

export const part: Part = {
  id: "BG4",
  title: "a schedule of five ticks a second in three instances that are killed at random",
  bar: "500 ticks: each is enqueued once, none is missed, none is early",
  needs: [],
  async run(options) {
    const random = new Random(options.seed);
    const figures = new Figures().show("seed", String(random.seed));
    await Promise.all(jobStores.map((store) => tick(store, random, figures, options)));
    return figures.done();
  },
};

function tick(store: JobStoreCase, random: Random, figures: Figures, { short, say }: PartOptions): Promise<void> {
  const ticks = short ? 25 : 500;
  return store.with(async (url, folder) => {
    const options = { url, ledger: join(folder, "ledger"), lease: 1000, schedule: `every ${period}ms` };
    const observer = await JobProcess.start(options);
    const readLast = async () => {
      const rows = await observer.ask<{ last_tick: number }[]>({
        type: "query",
        sql: "select last_tick from tenon_job_schedules",
      });
      return Number(rows[0]?.last_tick);
    };
    const first = Date.now();
    await observer.ask({
      type: "query", // as an instance does at its start: so the time is known
      sql: `insert into tenon_job_schedules (name, pattern, timezone, last_tick) values ('bg/tick', '${options.schedule}', 'UTC', ${first})`,
    });
    let kills = 0;
    let running = true;
    const instance = async () => {
      while (running) {
        const child = await JobProcess.start({ ...options, concurrency: 2 });
        await sleep(300 + random.below(2000));
        await child.kill();
        kills++;
      }
    };
    try {
      const killing = Promise.all(Array.from({ length: instances }, instance));
      await becomesTrue(
        async () => {
          const done = Math.floor(((await readLast()) - first) / period);
          say(`${store.name}: tick ${done} of ${ticks}, ${kills} kills`);
          return done >= ticks;
        },
        4 * ticks * period + 60_000,
        500,
      );
      running = false;
      await killing;
      const rows = await observer.ask<{ last: number; created: number }[]>({
        type: "query",
        sql: `select s.last_tick as last, j.created_at as created from tenon_job_schedules s
          left join tenon_jobs j on j.name = 'bg/tick' order by j.id`,
      });
      const last = Number(rows[0]?.last);
      const due = Math.floor(last / period) - Math.floor(first / period);
      const delays = rows.map(
        ({ created }, index) => Number(created) - (Math.floor(first / period) + 1 + index) * period,
      );
      figures
        .show(`${store.name}: kills`, kills)
        .atLeast(`${store.name}: ticks`, due, ticks)
        .exactly(`${store.name}: jobs more or less than ticks`, rows.length - due, 0)
        .exactly(`${store.name}: early`, delays.filter((delay) => delay < 0).length, 0)
        .show(`${store.name}: latest s`, Math.max(...delays) / 1000);
    } finally {
      running = false;
      await observer.kill();
    }
  });
}
