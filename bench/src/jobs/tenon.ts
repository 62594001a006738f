import { api, createApp, defineModule, dto, integer, type Module, type Routes } from "@tenon/core";
import { dataModule } from "@tenon/data";
import { defineJob, type Executor, Jobs, job, jobsModule, worker } from "@tenon/jobs";
import type pg from "pg";
import type { EngineControl, EngineInfo, JobEngine, Settings, WorkOptions } from "./engine.ts";
import { controlPostgres } from "./postgres-control.ts";

const BenchJob = defineJob("bench/job", { input: dto({ job: integer("required"), ms: integer("required") }) });
const shortest = { lease: 1000, stopTimeout: 1000 };

function createModule(url: string, settings: Settings, run: WorkOptions["run"]): Module {
  class BenchJobs {
    routes(): Routes {
      return [job(BenchJob, (ctx, input) => run(input, ctx.signal))];
    }
  }
  const data = dataModule({ database: url });
  const jobs = jobsModule(data, settings === "shortest" ? { lease: shortest.lease } : {});
  return defineModule({ name: "bench", imports: [data, jobs], declarations: [BenchJobs] });
}

async function open(url: string, settings: Settings): Promise<JobEngine> {
  const log = { level: "fatal" } as const;
  const app = await createApp(
    createModule(url, settings, async () => {}),
    api(),
    { log, background: false },
  );
  await app.start();
  const jobs = app.get(Jobs);
  return {
    async enqueue(list, client) {
      if (client !== undefined) {
        for (const input of list) await jobs.enqueue(BenchJob, input, { transaction: toExecutor(client) });
      } else if (list.length === 1) {
        for (const input of list) await jobs.enqueue(BenchJob, input);
      } else await jobs.enqueueMany(BenchJob, list);
    },
    async work({ concurrency, run }) {
      const stopTimeout = settings === "shortest" ? shortest.stopTimeout : 10_000;
      const working = await createApp(createModule(url, settings, run), worker({ concurrency }), { log, stopTimeout });
      await working.run();
    },
    stop: () => new Promise(() => {}), // the worker handles SIGTERM itself
  };
}

/** The transaction of another driver: what `jobs.enqueue()` needs of one. */
function toExecutor(client: pg.ClientBase): Executor {
  return {
    async executeQuery(query) {
      const { rows, rowCount } = await client.query(query.sql, [...query.parameters]);
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    },
  };
}

async function prepare(url: string): Promise<void> {
  const module = createModule(url, "default", async () => {});
  const app = await createApp(module, api(), { log: { level: "fatal" }, background: false });
  await app.start();
  await app.stop();
}

export const tenonPostgres: EngineInfo = {
  name: "tenon-postgres",
  label: "Tenon on PostgreSQL",
  store: "postgres",
  lock: { default: 30, shortest: 1 },
  afterCrash: "runs again after 30 s, 9 times at most",
  prepare,
  open,
  control: (url) =>
    controlPostgres(url, {
      open: "select cast(input as json)->>'job' as job from tenon_jobs where state in ('queued', 'running', 'scheduled')",
      expireLocks: "update tenon_jobs set lease_until = lease_until - 30000 where state = 'running'",
    }),
};

/** Its crashes are parts of reliability/. */
export const tenonSqlite: EngineInfo = {
  name: "tenon-sqlite",
  label: "Tenon on SQLite",
  store: "sqlite",
  lock: { default: 30, shortest: 1 },
  afterCrash: "runs again after 30 s, 9 times at most",
  prepare,
  open,
  control: async (): Promise<EngineControl> => {
    throw new Error("the crashes of jobs on SQLite are tried by npm run test:full -- --only BG1");
  },
};
