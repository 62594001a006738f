import { Logger, makeWorkerUtils, type Runner, run, type WorkerUtils } from "graphile-worker";
import type { BenchJob, EngineInfo, JobEngine, Settings } from "./engine.ts";
import { controlPostgres } from "./postgres-control.ts";

const task = "bench";
const logger = new Logger(() => () => {});
/** The lock time itself, four hours, is a constant of its statements. */
const shortest = {
  minResetLockedInterval: 1000,
  maxResetLockedInterval: 1000,
  gracefulShutdownAbortTimeout: 1000,
  pollInterval: 500,
};

export const graphileWorker: EngineInfo = {
  name: "graphile-worker",
  label: "graphile-worker 0.18",
  store: "postgres",
  lock: { default: 14_400, shortest: 14_400 },
  afterCrash: "runs again after 4 hours; a late worker can complete it",
  async prepare(url) {
    const utils = await makeWorkerUtils({ connectionString: url, logger });
    await utils.migrate();
    await utils.release();
  },
  async open(url, settings) {
    return createEngine(url, settings, await makeWorkerUtils({ connectionString: url, logger }));
  },
  control: (url) =>
    controlPostgres(url, {
      open: "select payload->>'job' as job from graphile_worker._private_jobs where attempts < max_attempts",
      expireLocks:
        "update graphile_worker._private_jobs set locked_at = locked_at - interval '4 hours' where locked_at is not null",
    }),
};

function createEngine(url: string, settings: Settings, utils: WorkerUtils): JobEngine {
  let runner: Runner | undefined;
  return {
    async enqueue(jobs, client) {
      if (client === undefined) await utils.addJobs(jobs.map((payload) => ({ identifier: task, payload })));
      else {
        for (const job of jobs) {
          await client.query("select graphile_worker.add_job($1, payload => $2)", [task, JSON.stringify(job)]);
        }
      }
    },
    async work({ concurrency, run: runJob }) {
      runner = await run({
        preset: { worker: { connectionString: url, logger, ...(settings === "shortest" ? shortest : {}) } },
        concurrency,
        taskList: { [task]: (payload, { abortSignal }) => runJob(payload as BenchJob, abortSignal) }, // as enqueued
      });
      runner.promise.catch(() => {});
    },
    stop: () => new Promise(() => {}), // it handles SIGTERM itself, which is its default
  };
}
