import { setTimeout as sleep } from "node:timers/promises";
import type { EngineInfo, Settings } from "./engine.ts";
import type { EngineChild } from "./engine-child.ts";
import { type Trial, withTrial } from "./trial-store.ts";

export interface CellResult {
  readonly text: string;
  /** Nothing was lost, nothing was done by a worker that had lost the job, and it went on within a minute. */
  readonly passed: boolean;
}

export interface CrashCell {
  readonly name: string;
  readonly title: string;
  /** Runs with these settings only. */
  readonly only?: Settings;
  run(engine: EngineInfo, settings: Settings): Promise<CellResult>;
}

/** Milliseconds that a trial waits for a job whose lock lasts longer than a minute, before it expires the lock. */
const patience = 15_000;
/** From then on, and with shorter locks: by default an engine looks for expired locks every minute or more often. */
const rescue = 75_000;
const long = 600_000;

function describeLock({ lock }: EngineInfo, settings: Settings): string {
  const length = lock[settings];
  return length < 60 ? `${length} s` : length < 3600 ? `${length / 60} min` : `${length / 3600} h`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Waits for the job on the second worker; first with the engine's lock time, then with an expired lock. */
async function takeOver(
  engine: EngineInfo,
  settings: Settings,
  { control }: Trial,
  started: (limit: number) => Promise<number | undefined>,
): Promise<{ at: number | undefined; note: string }> {
  const isLong = engine.lock[settings] > 60;
  const early = await started(isLong ? patience : rescue);
  if (early !== undefined) return { at: early, note: "" };
  const lock = describeLock(engine, settings);
  await control.expireLocks();
  const moved = Date.now();
  const at = await started(rescue);
  if (at === undefined) return { at, note: `not even after its lock time of ${lock}` };
  return { at, note: `after ${lock} and ${seconds(at - moved)} (lock expired by the trial)` };
}

/** Two processes, of which the first runs job 1 and the second does not work yet. Undefined when the job does not start. */
async function startFirstJob(trial: Trial): Promise<{ first: EngineChild; second: EngineChild } | undefined> {
  const [first, second] = [await trial.start(), await trial.start()];
  await first.perform({ type: "work", concurrency: 1 });
  await first.perform({ type: "enqueue", jobs: [{ job: 1, ms: long }] });
  return (await first.when("started", 1, 10_000)) === undefined ? undefined : { first, second };
}

const killed: CrashCell = {
  name: "killed",
  title: "kill -9 of a worker: its job runs elsewhere",
  run: (engine, settings) =>
    withTrial(engine, settings, async (trial) => {
      const workers = await startFirstJob(trial);
      if (workers === undefined) return { text: "never ran", passed: false };
      const { first, second } = workers;
      await second.perform({ type: "work", concurrency: 1 });
      const since = Date.now();
      await first.kill();
      const { at, note } = await takeOver(engine, settings, trial, (limit) => second.when("started", 1, limit));
      if (note !== "" || at === undefined) return { text: note, passed: false };
      return { text: `after ${seconds(at - since)}`, passed: true };
    }),
};

const suspended: CrashCell = {
  name: "suspended",
  title: "a worker suspended beyond its lock time cannot complete the job",
  run: (engine, settings) =>
    withTrial(engine, settings, async (trial) => {
      const workers = await startFirstJob(trial);
      if (workers === undefined) return { text: "never ran", passed: false };
      const { first, second } = workers;
      first.signal("SIGSTOP");
      await second.perform({ type: "work", concurrency: 1 });
      const { at } = await takeOver(engine, settings, trial, (limit) => second.when("started", 1, limit));
      if (at === undefined) return { text: "never ran elsewhere", passed: false };
      first.signal("SIGCONT");
      await sleep(200); // what the engine does first when it runs again
      await first.perform({ type: "finish", jobs: [1] });
      await sleep(1500); // no event tells that the engine has written the result
      const isOpen = (await trial.control.open()).includes(1);
      const aborted = first.reports.some(({ event }) => event === "aborted") ? ", its signal was aborted" : "";
      return isOpen
        ? { text: `late completion refused${aborted}`, passed: true }
        : { text: `completed by the late worker while it runs elsewhere${aborted}`, passed: false };
    }),
};

const transactions: CrashCell = {
  name: "transactions",
  title: "20 commits, 20 rollbacks, 5 crashes in a transaction: a job exists if its row does",
  run: (engine, settings) =>
    withTrial(engine, settings, async (trial) => {
      const worker = await trial.start();
      await worker.perform({ type: "work", concurrency: 10 });
      const enqueuer = await trial.start();
      for (let job = 1; job <= 40; job++) {
        const end = job % 2 === 0 ? "commit" : "rollback";
        await enqueuer.perform({ type: "transaction", job: { job, ms: 1 }, end });
      }
      const crashing = await Promise.all(Array.from({ length: 5 }, () => trial.start()));
      await Promise.all(
        crashing.map((child, index) =>
          child.perform({ type: "transaction", job: { job: 100 + index, ms: 1 }, end: "crash" }).catch(() => {}),
        ),
      );
      const rows = await trial.facts.query<{ job: number }>("select job from bench_facts");
      const facts = new Set(rows.rows.map(({ job }) => job));
      const ran = () => new Set(worker.reports.filter(({ event }) => event === "finished").map(({ job }) => job));
      await worker.until(() => facts.isSubsetOf(ran()), 15_000);
      await sleep(2500); // longer than any poll interval: a job without a row would run now
      const lost = facts.difference(ran()).size;
      const phantom = ran().difference(facts).size;
      return { text: `${lost} lost, ${phantom} without a row`, passed: lost + phantom === 0 };
    }),
};

const cut: CrashCell = {
  name: "cut",
  title: "connections cut 10 times during 100 jobs",
  run: (engine, settings) =>
    withTrial(engine, settings, async (trial) => {
      const worker = await trial.start();
      await worker.perform({
        type: "enqueue",
        jobs: Array.from({ length: 100 }, (_, index) => ({ job: index + 1, ms: 100 })),
      });
      await worker.perform({ type: "work", concurrency: 10 });
      await worker.when("started", 1, 10_000);
      for (let round = 0; round < 10; round++) {
        await trial.control.cutConnections();
        await sleep(150);
      }
      const jobsOf = (event: string) => worker.reports.filter((report) => report.event === event);
      const finished = () => new Set(jobsOf("finished").map(({ job }) => job)).size;
      await worker.until(() => finished() === 100 || !worker.alive, 20_000);
      const open = () => trial.control.open();
      for (let wait = 0; wait < 20 && (await open()).length > 0; wait++) await sleep(1000);
      const never = 100 - new Set(jobsOf("started").map(({ job }) => job)).size;
      const twice = jobsOf("finished").length - finished();
      const stuck = (await open()).length;
      const crashed = worker.alive
        ? ""
        : `; the worker crashed: ${/^\w*error: .*/im.exec(worker.said)?.[0] ?? worker.said}`;
      const text = `${never} not started, ${stuck} open after 20 s (lock ${describeLock(engine, settings)}), ${twice} ran twice`;
      return { text: text + crashed, passed: never + stuck === 0 && worker.alive };
    }),
};

const stopped: CrashCell = {
  name: "stopped",
  title: "SIGTERM with 5 short jobs and 5 long ones: the long ones run elsewhere",
  run: (engine, settings) =>
    withTrial(engine, settings, async (trial) => {
      const [first, second] = [await trial.start(), await trial.start()];
      await first.perform({ type: "work", concurrency: 10 });
      const jobs = Array.from({ length: 10 }, (_, index) => ({ job: index + 1, ms: long }));
      await first.perform({ type: "enqueue", jobs });
      const count = (event: string) => first.reports.filter((report) => report.event === event).length;
      if (!(await first.until(() => count("started") === 10, 20_000))) return { text: "not started", passed: false };
      await second.perform({ type: "work", concurrency: 10 });
      const since = Date.now();
      first.signal("SIGTERM");
      await sleep(300);
      await first.perform({ type: "finish", jobs: [1, 2, 3, 4, 5] }).catch(() => {}); // it may have ended at once
      const exited = await first.until(() => !first.alive, 45_000);
      const exit = exited ? `exit ${first.exitCode} after ${seconds(Date.now() - since)}` : "no exit in 45 s";
      const again = () => new Set(second.reports.map(({ job }) => job).filter((job) => job > 5)).size;
      await second.until(() => again() === 5, exited ? patience : 0);
      const last = Math.max(0, ...second.reports.map(({ at }) => at - since));
      const finished = count("finished");
      const where = again() === 5 ? `all elsewhere after ${seconds(last)}` : `${again()} of 5 elsewhere`;
      const passed = finished === 5 && again() === 5 && exited && first.exitCode === 0;
      return { text: `${finished} of 5 finished, ${exit}, ${where}`, passed };
    }),
};

const killedAgain: CrashCell = {
  name: "killed again",
  title: "kill -9 of four workers in turn that run the same job, with the default number of attempts",
  only: "shortest",
  run: (engine, settings) =>
    withTrial(engine, settings, async (trial) => {
      const enqueuer = await trial.start();
      await enqueuer.perform({ type: "enqueue", jobs: [{ job: 1, ms: long }] });
      for (let kill = 0; kill <= 4; kill++) {
        const worker = await trial.start();
        await worker.perform({ type: "work", concurrency: 1 });
        if (kill > 0) await trial.control.expireLocks();
        if ((await worker.when("started", 1, patience)) === undefined) {
          return { text: `given up after ${kill} kills, without having failed once`, passed: false };
        }
        await worker.kill();
      }
      return { text: "runs a fifth time", passed: true };
    }),
};

export const crashCells: readonly CrashCell[] = [killed, suspended, transactions, cut, stopped, killedAgain];
