import assert from "node:assert/strict";
import { test } from "node:test";
import { BindError, type Context, dto, type Infer, integer, type Routes, string } from "@tenon/core";
import { describeStores } from "@tenon/core/internal";
import { FakeClock, useClock } from "@tenon/core/testing";
import { Database, sql, storeGuarantees } from "@tenon/data";
import { defineJob, Jobs, job } from "@tenon/jobs";
import { until } from "../../core/test/support/until.ts";
import { services } from "../../data/test/support/services.ts";
import { databases, type JobsApp, postgresDatabase, withJobsApp } from "./support/jobs-app.ts";

const SendWelcome = defineJob("mails/welcome", { input: dto({ user_id: string("required") }), attempts: 3 });
const CloseStale = defineJob("posts/close-stale", { input: dto({ days: integer("default=30") }) });

class MailJobs {
  readonly sent: string[] = [];

  routes(): Routes {
    return [job(SendWelcome, this.welcome), job(CloseStale, (_, { days }) => ({ days }))];
  }

  welcome(_: Context, { user_id }: Infer<typeof SendWelcome.input>) {
    this.sent.push(user_id);
    return { user_id };
  }
}

for (const database of databases) {
  const withApp = (body: (app: JobsApp) => Promise<void>, clock = new FakeClock()) =>
    database.with((url) => withJobsApp(url, { declarations: [MailJobs] }, body, { override: [useClock(clock)] }));

  test(`${database.name}: a job is held in a test, and drain() runs it`, () =>
    withApp(async (app) => {
      const jobs = app.get(Jobs);
      assert.deepEqual(jobs[describeStores](), { jobs: { guarantee: storeGuarantees.jobs[app.get(Database).kind] } });
      const { id, created } = await jobs.enqueue(SendWelcome, { user_id: "u1" });
      assert.equal(created, true);
      const [pending] = await app.jobs.pending(SendWelcome);
      assert.equal(pending?.input.user_id, "u1");
      assert.deepEqual(app.get(MailJobs).sent, []);
      const { done } = await app.jobs.drain();
      assert.deepEqual(
        done.map((record) => record.id),
        [id],
      );
      assert.deepEqual(app.get(MailJobs).sent, ["u1"]);
      const record = await jobs.find(id);
      assert.equal(record?.state, "done");
      assert.deepEqual(record?.result, { user_id: "u1" });
      assert.deepEqual(await app.jobs.pending(), []);
    }));

  test(`${database.name}: input is checked when it is enqueued`, () =>
    withApp(async (app) => {
      // @ts-expect-error: user_id is missing
      await assert.rejects(app.get(Jobs).enqueue(SendWelcome, {}), BindError);
      assert.deepEqual(await app.jobs.pending(), []);
    }));

  test(`${database.name}: a field with a default may be left out when a job is enqueued`, () =>
    withApp(async (app) => {
      await app.get(Jobs).enqueue(CloseStale, {});
      await app.get(Jobs).enqueueMany(CloseStale, [{ days: 7 }, {}]);
      // @ts-expect-error: a field that it has must be of its type
      await assert.rejects(app.get(Jobs).enqueue(CloseStale, { days: "7" }), BindError);
      const { done } = await app.jobs.drain();
      assert.deepEqual(
        done.map(({ result }) => result),
        [{ days: 30 }, { days: 7 }, { days: 30 }],
      );
    }));

  test(`${database.name}: a job exists if and only if its transaction commits`, () =>
    withApp(async (app) => {
      const jobs = app.get(Jobs);
      const db = app.get(Database);
      const failed = db.transaction().execute(async (transaction) => {
        await jobs.enqueue(SendWelcome, { user_id: "rolled back" }, { transaction });
        throw new Error("rolled back");
      });
      await assert.rejects(failed, /rolled back/);
      assert.deepEqual(await app.jobs.pending(), []);
      await db.transaction().execute(async (transaction) => {
        await jobs.enqueue(SendWelcome, { user_id: "committed" }, { transaction });
        assert.deepEqual(await app.jobs.pending(), []);
      });
      assert.equal((await app.jobs.pending()).length, 1);
    }));

  test(`${database.name}: a delayed job runs when its time has come`, () => {
    const clock = new FakeClock("2026-01-01T00:00:00Z");
    return withApp(async (app) => {
      const jobs = app.get(Jobs);
      const { id } = await jobs.enqueue(SendWelcome, { user_id: "later" }, { delay: "5m" });
      assert.equal((await jobs.find(id))?.runAt, "2026-01-01T00:05:00.000Z");
      clock.advance("4m");
      assert.deepEqual((await app.jobs.drain()).done, []);
      clock.advance("1m");
      assert.equal((await app.jobs.drain()).done.length, 1);
    }, clock);
  });

  test(`${database.name}: a key is held while its job waits or runs`, () =>
    withApp(async (app) => {
      const jobs = app.get(Jobs);
      const first = await jobs.enqueue(SendWelcome, { user_id: "a" }, { key: "k" });
      const second = await jobs.enqueue(SendWelcome, { user_id: "b" }, { key: "k" });
      assert.deepEqual(second, { id: first.id, created: false });
      await app.jobs.drain();
      assert.equal((await jobs.enqueue(SendWelcome, { user_id: "c" }, { key: "k" })).created, true);
    }));

  test(`${database.name}: many jobs with keys keep the order of their inputs`, () =>
    withApp(async (app) => {
      const inputs = ["c", "a", "d", "b", "a"].map((user_id) => ({ user_id }));
      const added = await app.get(Jobs).enqueueMany(SendWelcome, inputs, { key: ({ user_id }) => user_id });
      assert.deepEqual(
        added.map(({ created }) => created),
        [true, true, true, true, false],
      );
      assert.equal(added[4]?.id, added[1]?.id);
      await app.jobs.drain();
      assert.deepEqual(app.get(MailJobs).sent, ["c", "a", "d", "b"]);
    }));

  test(`${database.name}: concurrent enqueueMany() with the same keys in opposite orders adds each once`, () =>
    withApp(async (app) => {
      const jobs = app.get(Jobs);
      for (let round = 0; round < 10; round++) {
        const inputs = Array.from({ length: 300 }, (_, index) => ({ user_id: `${round}-${index}` }));
        const key = ({ user_id }: { readonly user_id: string }) => user_id;
        const results = await Promise.all([
          jobs.enqueueMany(SendWelcome, inputs, { key }),
          jobs.enqueueMany(SendWelcome, inputs.toReversed(), { key }),
          jobs.enqueueMany(SendWelcome, inputs, { key }),
        ]);
        assert.equal(results.flat().filter(({ created }) => created).length, inputs.length);
      }
    }));

  test(`${database.name}: many jobs are added in one statement, in order`, () =>
    withApp(async (app) => {
      const inputs = Array.from({ length: 40 }, (_, index) => ({ user_id: `u${index}` }));
      const added = await app.get(Jobs).enqueueMany(SendWelcome, inputs);
      assert.equal(added.length, 40);
      await app.jobs.drain();
      assert.deepEqual(
        app.get(MailJobs).sent,
        inputs.map(({ user_id }) => user_id),
      );
    }));
}

test(
  "PostgreSQL: enqueueMany() that the server ends because of a deadlock is repeated",
  {
    skip: services.postgres === undefined,
  },
  () =>
    postgresDatabase.with((url) =>
      withJobsApp(url, { declarations: [MailJobs] }, async (app) => {
        const jobs = app.get(Jobs);
        const db = app.get(Database);
        const key = ({ user_id }: { readonly user_id: string }) => user_id;
        const waiting = sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        const added = await db.transaction().execute(async (transaction) => {
          await sql`set local deadlock_timeout = '60s'`.execute(transaction); // the other statement is ended, not this one
          await jobs.enqueue(SendWelcome, { user_id: "b" }, { transaction, key: "b" });
          const many = jobs.enqueueMany(SendWelcome, [{ user_id: "a" }, { user_id: "b" }], { key });
          await until(async () => (await waiting.execute(db)).rows.length === 1, "statement that waits for a lock");
          await jobs.enqueue(SendWelcome, { user_id: "a" }, { transaction, key: "a" });
          return { many };
        });
        const created = (await added.many).map((enqueued) => enqueued.created);
        assert.deepEqual(created, [false, false]);
        assert.equal((await app.jobs.pending()).length, 2);
      }),
    ),
);
