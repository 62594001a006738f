import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { test } from "node:test";
import { api, defineModule, provide, type Routes, token } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { type AnyDatabase, Database, dataModule, sql, type TracedSql } from "@tenon/data";
import { defineJob, type JobRecord, Jobs, job, jobsModule } from "@tenon/jobs";
import pg from "pg";
import { until } from "../../core/test/support/until.ts";
import { JobStore } from "../src/store/job-store.ts";
import { LookBounds } from "../src/store/look-bounds.ts";
import { databases, type JobsApp, reach, withJobsApp } from "./support/jobs-app.ts";
import { rowsRead } from "./support/rows-read.ts";

const Plain = defineJob("test/plain");
const TestStore = token<JobStore>("TestStore");
const lease = 30_000;
const many = 2000;

interface Parts {
  readonly url: string;
  readonly store: JobStore;
  readonly jobs: Jobs;
  readonly db: AnyDatabase;
}

for (const database of databases) {
  const withStore = (body: (parts: Parts) => Promise<void>) =>
    database.with(async (url) => {
      const data = dataModule({ database: url, postgres: { poolSize: 1 } });
      const declarations = [provide(TestStore, () => new JobStore())];
      const module = defineModule({ name: "app", imports: [data, jobsModule(data)], declarations });
      const app = await createTestApp(module, api());
      try {
        await body({ url, store: app.get(TestStore), jobs: app.get(Jobs), db: app.get(Database) });
      } finally {
        await app.stop();
      }
    });
  const isPostgres = database.name === "PostgreSQL";

  test(`${database.name}: a look with bounds finds the jobs of all priorities, in their order`, () =>
    withStore(async ({ store, jobs }) => {
      const bounds = new LookBounds(lease);
      const claim = async (count: number) =>
        (await store.claim("default", count, "worker", lease, bounds)).map(({ priority }) => priority);
      const enqueue = async (...priorities: number[]) => {
        for (const priority of priorities) await jobs.enqueue(Plain, {}, { priority });
      };
      await enqueue(0, 5, 0);
      assert.deepEqual(await claim(2), [5, 0]);
      await enqueue(-3, 5, 9, 2, 0);
      assert.equal((await store.peek(["default"], bounds)).ready, "default");
      assert.deepEqual(await claim(3), [9, 5, 2]);
      await enqueue(9);
      assert.deepEqual(await claim(9), [9, 0, 0, -3]);
      assert.equal((await store.peek(["default"], bounds)).ready, null);
    }));

  test(`${database.name}: a job that a late commit adds before the bounds is found by the next look without them`, () =>
    withStore(async ({ store, jobs }) => {
      const bounds = new LookBounds(lease);
      await jobs.enqueue(Plain, {});
      await store.peek(["default"], bounds);
      assert.equal((await store.claim("default", 9, "worker", lease, bounds)).length, 1);
      const late = await jobs.enqueue(Plain, {}, { runAt: new Date(Date.now() - 60_000) });
      const look = async () => {
        const { ready } = await store.peek(["default"], bounds);
        return ready !== null;
      };
      await until(look, "look without bounds");
      const [claimed] = await store.claim("default", 9, "worker", lease, bounds);
      assert.equal(claimed?.id, late.id);
    }));

  test(
    `${database.name}: a worker that sleeps wakes up to look without bounds`,
    {
      skip: !isPostgres, // a look at a queue of SQLite has none
    },
    () =>
      database.with(async (url) => {
        class PlainJobs {
          routes(): Routes {
            return [job(Plain, () => {})];
          }
        }
        const body = async (app: JobsApp) => {
          const jobs = app.get(Jobs);
          for (let round = 0; round < 10; round++) {
            await reach(app, (await jobs.enqueue(Plain, {})).id, "done");
            const late = await jobs.enqueue(Plain, {}, { runAt: new Date(Date.now() - 60_000) });
            await reach(app, late.id, "done");
          }
        };
        await withJobsApp(url, { declarations: [PlainJobs], pollInterval: "1h" }, body, { background: true });
      }),
  );

  test(
    `${database.name}: a look, a claim and a result while a transaction is open do not read what has ended before`,
    {
      skip: !isPostgres, // SQLite has no entries of earlier versions
    },
    () =>
      withStore(async ({ url, store, jobs, db }) => {
        const other = new pg.Client({ connectionString: url });
        await other.connect();
        try {
          await other.query("begin isolation level repeatable read");
          await other.query("select count(*) from tenon_jobs");
          const bounds = new LookBounds(lease);
          await jobs.enqueueMany(
            Plain,
            Array.from({ length: many }, () => ({})),
          );
          const claim = async (limit: number, from: LookBounds) => {
            const before = await rowsRead(db);
            await store.peek(["default"], from);
            const rows = await store.claim("default", limit, "worker", lease, from);
            const ends = { state: "done", result: null, error: null, delay: 0, keep: 60_000, refund: false } as const;
            await store.renew(rows, lease);
            await store.finish(rows.map(({ id, claim: token }) => ({ id, claim: token, ...ends })));
            return (await rowsRead(db)) - before;
          };
          for (let claimed = 0; claimed < many - 50; claimed += 50) await claim(50, bounds);
          assert.ok((await claim(1, new LookBounds(lease))) > many);
          const read: number[] = []; // some of them are looks without bounds
          for (let index = 0; index < 20; index++) read.push(await claim(1, bounds));
          assert.ok(Math.min(...read) < 500, `rows and entries that were read: ${read.join(", ")}`);
        } finally {
          await other.end();
        }
      }),
  );

  test(
    `${database.name}: keyed jobs read as many rows as they have keys while the statistics are old`,
    {
      skip: !isPostgres, // the planner of SQLite has none
    },
    () =>
      withStore(async ({ jobs, db }) => {
        await sql`insert into tenon_jobs (name, queue, state, priority, max_attempts, key, input, run_at, created_at)
        select 'test/plain', 'default', 'done', 0, 5, 'old ' || i, '{}', i, i from generate_series(1, 20000) i`.execute(
          db,
        );
        await sql`analyze tenon_jobs`.execute(db);
        const enqueue = async (chunk: number) => {
          const inputs = Array.from({ length: 500 }, () => ({}));
          const before = await rowsRead(db);
          await jobs.enqueueMany(Plain, inputs, { key: (_, index) => chunk * 500 + index });
          return (await rowsRead(db)) - before;
        };
        const read: number[] = [];
        for (let chunk = 0; chunk < 8; chunk++) read.push(await enqueue(chunk));
        read.push(await enqueue(0));
        assert.ok(Math.max(...read) < 5000, `rows read by each chunk: ${read.join(", ")}`);
      }),
  );

  test(`${database.name}: jobs without a handler are put off a thousand at a time, as one is`, () =>
    database.with(async (url) => {
      const Unknown = defineJob("test/unknown");
      class PlainJobs {
        routes(): Routes {
          return [job(Plain, () => {})];
        }
      }
      let claims = 0;
      const note = (message: unknown) => {
        if (/set state = 'running'/.test((message as TracedSql).sql)) claims++; // what the channel carries
      };
      const last = await withJobsApp(url, {}, async (app) => {
        const jobs = app.get(Jobs);
        const inputs = Array.from({ length: many }, () => ({}));
        await jobs.enqueueMany(Unknown, inputs, { runAt: new Date(Date.now() - 60_000) });
        return jobs.enqueue(Plain, {});
      });
      const body = async (app: JobsApp) => {
        await reach(app, last.id, "done");
        let waiting: readonly JobRecord[] = [];
        const areAllPutOff = async () => {
          waiting = await app.get(Jobs).list({ name: Unknown.name, state: "scheduled", limit: many });
          return waiting.length === many;
        };
        await until(areAllPutOff, "job that waits");
        const texts = new Set(waiting.map(({ attempt, error }) => `${attempt} ${error}`));
        assert.deepEqual([...texts], ['0 no handler for job "test/unknown" in this application']);
      };
      subscribe("tracing:tenon.sql:start", note);
      try {
        await withJobsApp(url, { declarations: [PlainJobs] }, body, { background: true });
      } finally {
        unsubscribe("tracing:tenon.sql:start", note);
      }
      assert.ok(claims < 20, `${claims} claims`);
    }));

  test(`${database.name}: jobs of a former queue move in one statement, past any number of others`, () =>
    database.with(async (url) => {
      const names = Array.from({ length: 20 }, (_, index) => `test/moved${index}`);
      const moved = await withJobsApp(url, {}, async (app) => {
        const jobs = app.get(Jobs);
        const foreign = Array.from({ length: many }, () => ({}));
        await jobs.enqueueMany(defineJob("test/foreign", { queue: "former" }), foreign);
        return jobs.enqueue(defineJob("test/moved19", { queue: "former" }), {});
      });
      class MovedJobs {
        routes(): Routes {
          return names.map((name) => job(defineJob(name), () => {}));
        }
      }
      const moves: string[] = [];
      const note = (message: unknown) => {
        const { sql: text } = message as TracedSql; // what the channel carries
        if (/set queue =/.test(text)) moves.push(text);
      };
      const body = async (app: JobsApp) => {
        await reach(app, moved.id, "done");
        assert.equal((await app.get(Jobs).list({ queue: "former", limit: 2 * many })).length, many);
      };
      subscribe("tracing:tenon.sql:start", note);
      try {
        await withJobsApp(url, { declarations: [MovedJobs] }, body, { background: true });
      } finally {
        unsubscribe("tracing:tenon.sql:start", note);
      }
      assert.ok(moves.length <= 2, `${moves.length} statements`);
    }));
}
