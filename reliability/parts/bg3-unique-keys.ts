import { join } from "node:path";
import { Figures, type Part } from "../part.ts";
import { withJobProcesses } from "../support/job-process.ts";
import { jobStores } from "../support/job-stores.ts";

const calls = 50;

export const part: Part = {
  id: "BG3",
  title: "one unique key enqueued 50 times at once in each of two processes",
  bar: "200 rounds: one job in each round, and every call returns its id",
  needs: [],
  async run({ short, say }) {
    const rounds = short ? 10 : 200;
    const figures = new Figures().show("rounds", rounds);
    for (const store of jobStores) {
      let other = 0;
      let created = 0;
      const rows = await store.with((url, folder) =>
        withJobProcesses(async (start) => {
          const options = { url, ledger: join(folder, "ledger") };
          const processes = await Promise.all([start(options), start(options)]);
          for (let round = 0; round < rounds; round++) {
            const key = `key ${round}`;
            const replies = await Promise.all(
              processes.map((child) => child.ask<{ id: number; created: boolean }[]>({ type: "same key", key, calls })),
            );
            const all = replies.flat();
            const maker = all.find((result) => result.created);
            other += all.filter(({ id }) => id !== maker?.id).length;
            created += all.filter((result) => result.created).length;
            say(`${store.name}: round ${round + 1} of ${rounds}`);
          }
          return processes[0].ask<{ id: number }[]>({ type: "query", sql: "select id from tenon_jobs" });
        }),
      );
      figures
        .exactly(`${store.name}: jobs`, rows.length, rounds)
        .exactly(`${store.name}: calls that made one`, created, rounds)
        .exactly(`${store.name}: calls with another id`, other, 0);
    }
    return figures.done();
  },
};
