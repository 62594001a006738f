import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startProxy } from "../../packages/data/test/support/fault-proxy.ts";
import { OwnPostgres } from "../../packages/data/test/support/own-postgres.ts";
import { endProcess, startProcess } from "../../packages/data/test/support/processes.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { missing } from "../needs.ts";
import { Figures, type Part, type PartOptions } from "../part.ts";
import { JobLedger } from "../support/job-ledger.ts";
import { JobOutages, type Outage } from "../support/job-outage.ts";
import { type JobProcessOptions, withJobProcesses } from "../support/job-process.ts";
import { createSmallDisk } from "../support/small-disk.ts";

const diskSize = 8 * 1024 * 1024;

export const part: Part = {
  id: "BG7",
  title:
    "jobs while PostgreSQL is restarted and its network fails, and while the SQLite file is locked and its disk full",
  bar: "PostgreSQL restarted 30 times, connections reset, black-holed, refused, slow; SQLite locked for 10 s, disk full: 0 acknowledged jobs lost, work resumes within 3 s",
  needs: [],
  alone: true, // it measures times
  async run(options) {
    const figures = new Figures();
    await breakLock(figures, options);
    await fillDisk(figures, options);
    if (missing(["own postgres"]).length === 0) await breakPostgres(figures, options);
    else figures.note("PostgreSQL was left out: it is not installed on this machine");
    return figures.done();
  },
};

interface Place {
  readonly url: string;
  readonly folder: string;
  /** A command that runs the process. Then one process does both: others may not see the disk. */
  readonly under?: readonly string[];
}

/** A process that enqueues and one that runs jobs, through these outages. */
async function endure(
  store: string,
  { url, folder, under }: Place,
  figures: Figures,
  outagesOf: (pid: number) => Iterable<Outage>,
): Promise<void> {
  const file = join(folder, "ledger");
  const ledger = new JobLedger(file);
  const options: JobProcessOptions = { url, ledger: file, lease: 5000 };
  await withJobProcesses(async (start) => {
    const working = { ...options, concurrency: 10 };
    const child = await (under === undefined ? start(options) : start({ ...working, under }));
    if (under === undefined) await start(working);
    const outages = new JobOutages(child, ledger);
    await outages.start();
    for (const outage of outagesOf(child.pid)) await outages.during(outage);
    await outages.stop(figures, store);
  });
}

function breakLock(figures: Figures, { short, say }: PartOptions): Promise<void> {
  return withFolder(async (folder) => {
    const path = join(folder, "jobs.db");
    const length = short ? 2000 : 10_000;
    say(`SQLite: locked for ${length / 1000} s`);
    let holder: Awaited<ReturnType<typeof startProcess>> | undefined;
    const locked: Outage = {
      name: "locked",
      length,
      total: true,
      begin: async () => {
        holder = await startProcess("hold-lock.ts", [path, "60000"]);
      },
      end: () => holder?.kill("SIGKILL"), // releases the lock
    };
    try {
      await endure("SQLite", { url: `sqlite:${path}`, folder }, figures, () => [locked]);
    } finally {
      if (holder !== undefined && holder.signalCode === null) await endProcess(holder);
    }
  });
}

function fillDisk(figures: Figures, { short, say }: PartOptions): Promise<void> {
  return withFolder(async (folder) => {
    const place = join(folder, "disk");
    mkdirSync(place);
    const disk = createSmallDisk(place, "jobs.db", diskSize);
    say(`SQLite: a full disk, ${disk.how}`);
    const url = `sqlite:${join(place, "jobs.db")}`;
    await endure("SQLite, small disk", { url, folder, under: disk.under }, figures, (pid) => [
      {
        name: "disk full",
        length: short ? 1000 : 3000,
        begin: () => disk.fill({ pid }),
        end: () => disk.free({ pid }),
      },
    ]);
  });
}

function breakPostgres(figures: Figures, { short, say }: PartOptions): Promise<void> {
  return withFolder(async (folder) => {
    const postgres = await OwnPostgres.make();
    const { proxy, url } = await startProxy(postgres.url, 5432);
    const restarts = short ? 2 : 30;
    const length = short ? 1000 : 4000;
    function* outages(): Iterable<Outage> {
      for (let restart = 1; restart <= restarts; restart++) {
        say(`PostgreSQL: restart ${restart} of ${restarts}`);
        const begin = () => (restart % 3 === 0 ? postgres.kill() : postgres.stop());
        yield { name: "restarted", length: 100, total: true, begin, end: () => postgres.start() };
      }
      for (const fault of ["refused", "reset", "silent", "slow"] as const) {
        say(`PostgreSQL: ${fault}`);
        yield {
          name: fault,
          length,
          total: fault !== "slow",
          begin: () => proxy.become(fault),
          end: () => proxy.become("none"),
        };
      }
    }
    try {
      await endure("PostgreSQL", { url, folder }, figures, outages);
    } finally {
      await proxy.stop();
      await postgres.remove();
    }
  });
}
