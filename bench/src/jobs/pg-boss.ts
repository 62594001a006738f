import { PgBoss } from "pg-boss";
import type { BenchJob, EngineInfo, JobEngine, Settings } from "./engine.ts";
import { controlPostgres } from "./postgres-control.ts";

const queue = "bench";
/** Queues without heartbeats are the default; ten seconds are the shortest that is accepted. */
const shortest = {
  supervise: { superviseIntervalSeconds: 1, monitorIntervalSeconds: 1, queueCacheIntervalSeconds: 1 },
  queue: { heartbeatSeconds: 10 },
  work: { pollingIntervalSeconds: 0.5 },
  stop: { timeout: 1000 },
};

export const pgBoss: EngineInfo = {
  name: "pg-boss",
  label: "pg-boss 12",
  store: "postgres",
  lock: { default: 900, shortest: 10 },
  afterCrash: "runs again after 15 to 16 minutes, twice at most",
  async prepare(url) {
    const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
    await boss.start();
    await boss.createQueue(queue);
    await boss.stop();
  },
  async open(url, settings) {
    const boss = new PgBoss({ connectionString: url, ...(settings === "shortest" ? shortest.supervise : {}) });
    boss.on("error", () => {}); // an EventEmitter without a listener would throw
    await boss.start();
    return createEngine(boss, settings);
  },
  control: (url) =>
    controlPostgres(url, {
      open: "select (data->>'job') as job from pgboss.job where name = 'bench' and state < 'completed'",
      expireLocks:
        "update pgboss.job set started_on = started_on - interval '15 minutes', heartbeat_on = heartbeat_on - interval '15 minutes' where name = 'bench' and state = 'active'",
    }),
};

function createEngine(boss: PgBoss, settings: Settings): JobEngine {
  const isShortest = settings === "shortest";
  return {
    async enqueue(jobs, client) {
      const rows = jobs.map((data) => ({ data, ...(isShortest ? shortest.queue : {}) }));
      const db = client && { executeSql: (text: string, values?: unknown[]) => client.query(text, values) };
      await boss.insert(queue, rows, db === undefined ? {} : { db });
    },
    async work({ concurrency, run }) {
      const options = { localConcurrency: concurrency, ...(isShortest ? shortest.work : {}) };
      await boss.work<BenchJob>(queue, options, async ([job]) => {
        if (job !== undefined) await run(job.data, job.signal);
      });
    },
    stop: () => boss.stop(isShortest ? shortest.stop : {}),
  };
}
