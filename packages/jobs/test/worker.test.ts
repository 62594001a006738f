import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { api, type Context, createApp, defineModule, dto, type Infer, inject, type Routes, string } from "@tenon/core";
import { createTestApp, FakeClock, useClock } from "@tenon/core/testing";
import { Database, sql } from "@tenon/data";
import { defineJob, Jobs, job, worker } from "@tenon/jobs";
import { withJobs } from "@tenon/jobs/testing";
import { LogLines } from "../../core/test/support/log-lines.ts";
import { until } from "../../core/test/support/until.ts";
import { services } from "../../data/test/support/services.ts";
import {
  createJobsModule,
  databases,
  type JobsApp,
  postgresDatabase,
  reach,
  sqliteDatabase,
  withJobsApp,
} from "./support/jobs-app.ts";

const Hold = defineJob("test/hold", { input: dto({ text: string("required") }), attempts: 5 });

/** Milliseconds. It is renewed each quarter, so a machine that stalls for five seconds does not end it. */
const longLease = 8000;

interface Message {
  readonly ready?: boolean;
  readonly started?: string;
  readonly attempt?: number;
  readonly ended?: string;
  readonly aborted?: boolean;
}

/** A worker process and what it has said. */
class WorkerProcess {
  readonly child: ChildProcess;
  readonly messages: Message[] = [];
  readonly exit: Promise<unknown[]>;

  constructor(url: string, lease: number) {
    const file = fileURLToPath(new URL("./fixtures/worker-process.ts", import.meta.url));
    const execArgv = ["--conditions=@tenon/source"];
    this.child = fork(file, [url, String(lease)], { execArgv, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.exit = once(this.child, "exit");
    this.child.on("message", (message: Message) => this.messages.push(message));
  }

  async hears(condition: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(condition);
      if (found !== undefined) return found;
      await once(this.child, "message");
    }
  }

  async end(): Promise<void> {
    this.child.kill("SIGKILL"); // does nothing when it has exited
    await this.exit;
  }
}

async function withWorkers(
  url: string,
  lease: number,
  body: (app: JobsApp, start: () => Promise<WorkerProcess>) => Promise<void>,
): Promise<void> {
  const workers: WorkerProcess[] = [];
  await withJobsApp(url, {}, async (app) => {
    try {
      await body(app, async () => {
        const started = new WorkerProcess(url, lease);
        workers.push(started);
        await started.hears(({ ready }) => ready === true);
        return started;
      });
    } finally {
      for (const started of workers) await started.end();
    }
  });
}

for (const database of databases) {
  test(`${database.name}: a job of a killed worker runs in another one`, () =>
    database.with((url) =>
      withWorkers(url, 1000, async (app, start) => {
        const first = await start();
        const { id } = await app.get(Jobs).enqueue(Hold, { text: "killed" });
        await first.hears(({ started }) => started === "killed");
        const second = await start();
        await first.end();
        const again = await second.hears(({ started }) => started === "killed");
        assert.equal(again.attempt, 2);
        second.child.send("go on");
        await second.hears(({ ended }) => ended === "killed");
        assert.ok(await app.get(Jobs).find(id));
      }),
    ));

  test(`${database.name}: a worker that was suspended beyond its lease cannot complete its job again`, () =>
    database.with((url) =>
      withWorkers(url, longLease, async (app, start) => {
        const late = await start();
        const { id } = await app.get(Jobs).enqueue(Hold, { text: "suspended" });
        await late.hears(({ started }) => started === "suspended");
        const other = await start();
        const isTaken = () => {
          late.child.kill("SIGSTOP"); // again, if something has continued it: it would renew its lease
          return other.messages.some(({ started }) => started === "suspended");
        };
        await until(isTaken, "job that was taken from the suspended worker");
        late.child.kill("SIGCONT");
        const ended = await late.hears((message) => message.ended === "suspended");
        assert.equal(ended.aborted, true); // the renewal has noticed
        assert.equal((await app.get(Jobs).find(id))?.state, "running");
        other.child.send("go on");
        await other.hears((message) => message.ended === "suspended");
        other.child.kill("SIGTERM");
        await other.exit;
        const record = await app.get(Jobs).find(id);
        assert.deepEqual([record?.state, record?.result], ["done", { pid: other.child.pid }]);
      }),
    ));

  test(`${database.name}: SIGTERM lets jobs end in time, gives back the others, and exits with 0`, () =>
    database.with((url) =>
      withWorkers(url, 30_000, async (app, start) => {
        const stopping = await start();
        const inputs = Array.from({ length: 8 }, (_, index) => ({ text: `held ${index}` }));
        const added = await app.get(Jobs).enqueueMany(Hold, inputs);
        await stopping.hears(() => stopping.messages.filter(({ started }) => started !== undefined).length === 8);
        stopping.child.kill("SIGTERM");
        assert.deepEqual(await stopping.exit, [0, null]);
        for (const { id } of added) {
          const record = await app.get(Jobs).find(id);
          assert.deepEqual([record?.state, record?.attempt], ["queued", 0]);
        }
        const other = await start();
        await other.hears(() => other.messages.filter(({ started }) => started !== undefined).length === 8);
      }),
    ));
}

test("worker() without jobsModule(), and with a queue that no job has, says so", async () => {
  const empty = await createApp(defineModule({ name: "empty" }), worker(), { onStartError: "throw" });
  await assert.rejects(empty.run(), /worker\(\) has no jobs to run: import jobsModule\(\)/);
  const idle = await createApp(createJobsModule("sqlite::memory:"), worker(), { onStartError: "throw" });
  await assert.rejects(idle.run(), /worker\(\) has no jobs to run: list job\(…\) in routes\(\)/);
  class HoldJobs {
    routes(): Routes {
      return [job(Hold, this.hold)];
    }
    hold() {}
  }
  const module = createJobsModule("sqlite::memory:", { declarations: [HoldJobs] });
  const log = { level: "silent" } as const;
  const app = await createApp(module, worker({ queues: ["mails"] }), { onStartError: "throw", log });
  await assert.rejects(app.run(), /no job is in mails\. The queues of this application: default\./);
  await assert.rejects(
    createApp(module, worker({ concurrency: 0 }), { onStartError: "throw", log }),
    /concurrency of worker\(\) is 0/,
  );
  const bare = await createTestApp(defineModule({ name: "empty" }), api());
  assert.throws(() => withJobs(bare), /no module of this application imports jobsModule\(\)/);
  await bare.stop();
});

const Occupy = defineJob("test/occupy", { input: dto({ text: string("required") }), attempts: 3 });

/** Each job runs until the test ends it, and holds a connection of the pool for as long, unless it is "idle". */
class OccupyJobs {
  readonly #db = inject(Database);
  readonly #ended = Promise.withResolvers<void>();
  readonly runs: string[] = [];

  routes(): Routes {
    return [job(Occupy, this.occupy)];
  }

  occupy(_: Context, { text }: Infer<typeof Occupy.input>) {
    this.runs.push(text);
    if (text === "idle") return this.#ended.promise;
    return this.#db.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction);
      await this.#ended.promise;
    });
  }

  end(): void {
    this.#ended.resolve();
  }
}

test(
  "PostgreSQL: jobs that use up the pool for longer than the lease run once",
  {
    skip: services.postgres === undefined,
  },
  () =>
    postgresDatabase.with((url) => {
      const options = {
        declarations: [OccupyJobs],
        concurrency: 2,
        postgres: { poolSize: 2 },
        lease: longLease,
      } as const;
      const withWorker = <T>(body: (app: JobsApp) => Promise<T>) =>
        withJobsApp(url, options, body, { background: true });
      return withJobsApp(url, {}, (observer) =>
        withWorker((first) =>
          withWorker(async (second) => {
            const inputs = ["a", "b", "c", "d"].map((text) => ({ text }));
            const added = await observer.get(Jobs).enqueueMany(Occupy, inputs);
            for (const { id } of added) await reach(observer, id, "running");
            const held = sql`select from tenon_jobs where state = 'running' and lease_until > started_at + ${2 * longLease}`;
            const isRenewed = async () => (await held.execute(observer.get(Database))).rows.length === added.length;
            await until(isRenewed, "lease of each job that was renewed");
            for (const app of [first, second]) app.get(OccupyJobs).end();
            for (const { id } of added) assert.equal((await reach(observer, id, "done")).attempt, 1);
            const runs = [...first.get(OccupyJobs).runs, ...second.get(OccupyJobs).runs];
            assert.deepEqual(runs.sort(), ["a", "b", "c", "d"]);
          }),
        ),
      );
    }),
);

test(
  "PostgreSQL: a concurrency that can use up the pool is a warning at start",
  {
    skip: services.postgres === undefined,
  },
  () =>
    postgresDatabase.with(async (url) => {
      const warnings = async (concurrency: number) => {
        const log = new LogLines();
        const options = { declarations: [OccupyJobs], concurrency, postgres: { poolSize: 3 } };
        await withJobsApp(url, options, async () => {}, { background: true, log: log.options });
        return log.messages("warn");
      };
      assert.deepEqual(await warnings(2), []);
      const [warning, ...others] = await warnings(3);
      assert.match(warning ?? "", /^3 jobs at a time may use all 3 connections of the pool/);
      assert.deepEqual(others, []);
    }),
);

/** A fault of the store: leases cannot be renewed, everything else is written. */
const refuseRenewals = sql`create trigger refuse_renewals before update on tenon_jobs
  when old.state = 'running' and new.state = 'running' begin select raise(abort, 'refused'); end`;

test("SQLite: a process that cannot renew its leases does not start its own jobs again", () =>
  sqliteDatabase.with((url) => {
    const clock = new FakeClock();
    const log = new LogLines();
    const body = async (app: JobsApp) => {
      await refuseRenewals.execute(app.get(Database));
      const { id } = await app.get(Jobs).enqueue(Occupy, { text: "idle" });
      await reach(app, id, "running");
      clock.advance("1h"); // the lease has ended
      await app.get(Jobs).enqueue(Occupy, { text: "idle" }); // wakes the loop
      const refusals = () => log.messages("warn").filter((line) => /cannot be renewed/.test(line)).length;
      await until(() => refusals() >= 2, "second turn that cannot renew the lease");
      const record = await app.get(Jobs).find(id);
      assert.deepEqual([record?.state, record?.attempt], ["running", 1]);
      assert.deepEqual(app.get(OccupyJobs).runs, ["idle"]);
      app.get(OccupyJobs).end();
      assert.equal((await reach(app, id, "done")).attempt, 1);
    };
    const options = { background: true, log: log.options, override: [useClock(clock)] };
    return withJobsApp(url, { declarations: [OccupyJobs] }, body, options);
  }));
