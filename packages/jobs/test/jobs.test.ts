import assert from "node:assert/strict";
import { test } from "node:test";
import { BindError, type Context, dto, type Infer, type Routes, string } from "@tenon/core";
import { Database } from "@tenon/data";
import { defineJob, Jobs, job } from "@tenon/jobs";
import { FakeJobClock, useJobClock } from "@tenon/jobs/testing";
import { databases, type JobsApp, withJobsApp } from "./support/jobs-app.ts";

const SendWelcome = defineJob("mails/welcome", { input: dto({ user_id: string("required") }), attempts: 3 });

class MailJobs {
  readonly sent: string[] = [];

  routes(): Routes {
    return [job(SendWelcome, this.welcome)];
  }

  welcome(_: Context, { user_id }: Infer<typeof SendWelcome.input>) {
    this.sent.push(user_id);
    return { user_id };
  }
}

for (const database of databases) {
  const withApp = (body: (app: JobsApp) => Promise<void>, clock = new FakeJobClock()) =>
    database.with((url) => withJobsApp(url, { declarations: [MailJobs] }, body, { override: [useJobClock(clock)] }));

  test(`${database.name}: a job is held in a test, and drain() runs it`, () =>
    withApp(async (app) => {
      const jobs = app.get(Jobs);
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
    const clock = new FakeJobClock("2026-01-01T00:00:00Z");
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
