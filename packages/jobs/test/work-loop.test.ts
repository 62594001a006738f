import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Context, dto, type Infer, type Routes, string } from "@tenon/core";
import { Database, sql } from "@tenon/data";
import { defineJob, type JobState, Jobs, job, UnrecoverableError } from "@tenon/jobs";
import { FakeJobClock, useJobClock } from "@tenon/jobs/testing";
import { databases, type JobsApp, type JobsAppOptions, withJobsApp } from "./support/jobs-app.ts";

const input = dto({ text: string("required") });
const Echo = defineJob("test/echo", { input, backoff: { first: 1, jitter: 0 }, attempts: 3 });
const Fail = defineJob("test/fail", { input, backoff: { first: 1, jitter: 0 }, attempts: 3 });
const Hopeless = defineJob("test/hopeless", { input });
const Wait = defineJob("test/wait", { input, queue: "slow" });
const Count = defineJob("test/count", { input, queue: "counted" });
const Odd = defineJob("test/odd", { input, attempts: 1 });
const Slow = defineJob("test/timeout", { input, timeout: 20, attempts: 1 });

class TestJobs {
  readonly events = new EventTarget();
  readonly attempts: number[] = [];

  routes(): Routes {
    return [
      job(Echo, this.echo),
      job(Fail, this.fail),
      job(Hopeless, this.hopeless),
      job(Wait, this.wait),
      job(Slow, this.wait),
      job(Count, this.count),
      job(Odd, this.odd),
    ];
  }

  echo(ctx: Context, { text }: Infer<typeof input>) {
    this.events.dispatchEvent(new CustomEvent("echo", { detail: text }));
    return { text, attempt: ctx.get("job")?.attempt, id: ctx.id };
  }

  fail(ctx: Context, { text }: Infer<typeof input>): never {
    this.attempts.push(ctx.get("job")?.attempt ?? 0);
    throw new Error(`failed: ${text}`);
  }

  odd(_: Context, { text }: Infer<typeof input>): never {
    if (text === "undefined") throw undefined;
    if (text === "null prototype") throw Object.create(null);
    throw Object.defineProperty(new Error(text), "stack", { get: () => assert.fail("no stack") });
  }

  hopeless(): never {
    throw new UnrecoverableError("there is no such user");
  }

  /** Reports progress and waits until a test has seen it. */
  async count(ctx: Context) {
    const progress = ctx.progress(4, "steps");
    progress.advance(3);
    await once(this.events, "go on");
    progress.done();
  }

  async wait({ signal }: Context) {
    this.events.dispatchEvent(new Event("waiting"));
    if (!signal.aborted) await once(signal, "abort");
    this.events.dispatchEvent(new CustomEvent("aborted", { detail: signal.reason }));
    throw signal.reason;
  }
}

/** Waits until a job is in a state. The loop has no event for a test: the state in the database is what counts. */
async function reach(app: JobsApp, id: number, state: JobState) {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const record = await app.get(Jobs).find(id);
    if (record?.state === state) return record;
    await sleep(10);
  }
  throw new Error(`job ${id} is not ${state}: ${JSON.stringify(await app.get(Jobs).find(id))}`);
}

for (const database of databases) {
  const withApp = (body: (app: JobsApp) => Promise<void>, options: JobsAppOptions = {}) =>
    database.with((url) => withJobsApp(url, { declarations: [TestJobs], ...options }, body, { background: true }));

  test(`${database.name}: a running application runs what is enqueued`, () =>
    withApp(async (app) => {
      const echoed = once(app.get(TestJobs).events, "echo");
      const { id } = await app.get(Jobs).enqueue(Echo, { text: "hello" });
      const [event] = (await echoed) as [CustomEvent];
      assert.equal(event.detail, "hello");
      const { result } = await reach(app, id, "done");
      assert.deepEqual(result, { text: "hello", attempt: 1, id: `job-${id}.1` });
    }));

  test(`${database.name}: a job of a transaction starts when it commits`, () =>
    withApp(async (app) => {
      const echoed = once(app.get(TestJobs).events, "echo");
      const db = app.get(Database);
      await db.transaction().execute((transaction) => app.get(Jobs).enqueue(Echo, { text: "in" }, { transaction }));
      await echoed;
    }));

  test(`${database.name}: a job that fails is retried, and is dead after its attempts`, () =>
    withApp(async (app) => {
      const { id } = await app.get(Jobs).enqueue(Fail, { text: "always" });
      const record = await reach(app, id, "dead");
      assert.deepEqual(app.get(TestJobs).attempts, [1, 2, 3]);
      assert.match(record.error ?? "", /^Error: failed: always/);
      assert.deepEqual(record.input, { text: "always" });
      assert.equal(await app.get(Jobs).retry(id), true);
      assert.equal((await reach(app, id, "dead")).attempt, 3);
    }));

  test(`${database.name}: an UnrecoverableError is not retried`, () =>
    withApp(async (app) => {
      const { id } = await app.get(Jobs).enqueue(Hopeless, { text: "" + "x" });
      assert.equal((await reach(app, id, "dead")).attempt, 1);
    }));

  for (const text of ["undefined", "null prototype", "a stack that throws"]) {
    test(`${database.name}: a job that throws ${text} has failed, with a reason`, () =>
      withApp(async (app) => {
        const { id } = await app.get(Jobs).enqueue(Odd, { text });
        assert.match((await reach(app, id, "dead")).error ?? "", /^thrown: /);
      }));
  }

  test(`${database.name}: a job whose definition has changed its queue runs, unless the old queue is paused`, () =>
    database.with(async (url) => {
      const [moved, held, unknown] = await withJobsApp(url, {}, async (app) => {
        const jobs = app.get(Jobs);
        await jobs.pause("held");
        return [
          await jobs.enqueue(defineJob("test/echo", { input, queue: "former" }), { text: "moved" }),
          await jobs.enqueue(defineJob("test/echo", { input, queue: "held" }), { text: "held" }),
          await jobs.enqueue(defineJob("test/unknown", { queue: "former" }), {}),
        ] as const;
      });
      const body = async (app: JobsApp) => {
        assert.equal((await reach(app, moved.id, "done")).queue, "default");
        assert.equal((await reach(app, held.id, "queued")).queue, "held");
        assert.equal((await reach(app, unknown.id, "queued")).queue, "former");
      };
      await withJobsApp(url, { declarations: [TestJobs] }, body, { background: true });
    }));

  test(`${database.name}: a job that another process cancels and retries is aborted before it starts again`, () =>
    withApp(async (app) => {
      const { events } = app.get(TestJobs);
      const waiting = once(events, "waiting");
      const aborted = once(events, "aborted");
      const { id } = await app.get(Jobs).enqueue(Wait, { text: "x" });
      await waiting;
      await sql`update tenon_jobs set state = 'cancelled', lease_until = null where id = ${id}`.execute(
        app.get(Database),
      );
      assert.equal(await app.get(Jobs).retry(id), true);
      const [event] = (await aborted) as [CustomEvent];
      assert.equal(event.detail.message, "the job was started again");
      assert.equal((await reach(app, id, "running")).attempt, 1);
      await app.get(Jobs).cancel(id);
    }));

  test(`${database.name}: a process does not start its own job again when its clock jumps beyond the lease`, () =>
    database.with((url) => {
      const clock = new FakeJobClock();
      const body = async (app: JobsApp) => {
        const { events } = app.get(TestJobs);
        const waiting = once(events, "waiting");
        const { id } = await app.get(Jobs).enqueue(Wait, { text: "x" });
        await waiting;
        clock.advance("1h");
        const { id: next } = await app.get(Jobs).enqueue(Echo, { text: "wakes the loop" });
        await reach(app, next, "done");
        await sleep(300);
        const record = await app.get(Jobs).find(id);
        assert.deepEqual([record?.state, record?.attempt], ["running", 1]);
        await app.get(Jobs).cancel(id);
      };
      const options = { background: true, override: [useJobClock(clock)] };
      return withJobsApp(url, { declarations: [TestJobs] }, body, options);
    }));

  test(`${database.name}: cancel() aborts a running job`, () =>
    withApp(async (app) => {
      const { events } = app.get(TestJobs);
      const waiting = once(events, "waiting");
      const aborted = once(events, "aborted");
      const { id } = await app.get(Jobs).enqueue(Wait, { text: "x" });
      await waiting;
      assert.equal(await app.get(Jobs).cancel(id), true);
      await aborted;
      assert.equal((await reach(app, id, "cancelled")).state, "cancelled");
      assert.equal(await app.get(Jobs).cancel(id), false);
    }));

  test(`${database.name}: an attempt that takes too long is aborted`, () =>
    withApp(async (app) => {
      const { id } = await app.get(Jobs).enqueue(Slow, { text: "x" });
      assert.match((await reach(app, id, "dead")).error ?? "", /did not end within 20 ms/);
    }));

  test(`${database.name}: progress is saved while a job runs`, () =>
    withApp(async (app) => {
      const { id } = await app.get(Jobs).enqueue(Count, { text: "x" });
      let progress: unknown = null;
      while (progress === null) {
        await sleep(10);
        progress = (await app.get(Jobs).find(id))?.progress ?? null;
      }
      assert.deepEqual(progress, { done: 3, total: 4, label: "steps" });
      app.get(TestJobs).events.dispatchEvent(new Event("go on"));
      await reach(app, id, "done");
    }));

  test(`${database.name}: a queue with a rate runs everything, window after window`, () =>
    withApp(
      async (app) => {
        const inputs = Array.from({ length: 5 }, (_, index) => ({ text: String(index) }));
        const added = await app.get(Jobs).enqueueMany(Echo, inputs);
        for (const { id } of added) await reach(app, id, "done");
        const started = (await app.get(Jobs).list()).map(({ startedAt }) => Date.parse(startedAt ?? "")).sort();
        assert.ok((started[2] ?? 0) - (started[0] ?? 0) >= 100, "the third waits for the next window");
        assert.ok((started[4] ?? 0) - (started[2] ?? 0) >= 100);
      },
      { queues: { default: { rate: { limit: 2, per: 100 } } } },
    ));

  test(`${database.name}: a paused queue starts nothing until it is resumed`, () =>
    withApp(async (app) => {
      const jobs = app.get(Jobs);
      await jobs.pause("default");
      const { id } = await jobs.enqueue(Echo, { text: "x" });
      const other = await jobs.enqueue(Wait, { text: "x" });
      await reach(app, other.id, "running");
      assert.equal((await jobs.find(id))?.state, "queued");
      await jobs.cancel(other.id);
      await jobs.resume("default");
      await reach(app, id, "done");
    }));

  test(`${database.name}: a stop releases jobs that do not end in time, and the attempt does not count`, () =>
    database.with(async (url) => {
      const ids: number[] = [];
      await withJobsApp(
        url,
        { declarations: [TestJobs] },
        async (app) => {
          const waiting = once(app.get(TestJobs).events, "waiting");
          ids.push((await app.get(Jobs).enqueue(Wait, { text: "x" })).id);
          await waiting;
        },
        { background: true, stopTimeout: 50 },
      );
      await withJobsApp(url, { declarations: [TestJobs] }, async (app) => {
        const [pending] = await app.jobs.pending(Wait);
        assert.equal(pending?.id, ids[0]);
        assert.equal(pending?.attempt, 0);
      });
    }));
}

test("a database in memory runs jobs too, those of a transaction included", () =>
  withJobsApp(
    "sqlite::memory:",
    { declarations: [TestJobs] },
    async (app) => {
      const { id } = await app.get(Jobs).enqueue(Echo, { text: "x" });
      await reach(app, id, "done");
      const later = await app
        .get(Database)
        .transaction()
        .execute((transaction) => app.get(Jobs).enqueue(Echo, { text: "y" }, { transaction }));
      await reach(app, later.id, "done");
    },
    { background: true },
  ));
