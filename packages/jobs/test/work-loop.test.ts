import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { test } from "node:test";
import { type Context, dto, type Infer, type Routes, string } from "@tenon/core";
import { FakeClock, useClock } from "@tenon/core/testing";
import { Database, SharedStore, sql, type TracedSql, type Transaction } from "@tenon/data";
import { defineJob, Jobs, job, UnrecoverableError } from "@tenon/jobs";
import { LogLines } from "../../core/test/support/log-lines.ts";
import { until } from "../../core/test/support/until.ts";
import { databases, type JobsApp, type JobsAppOptions, reach, withJobsApp } from "./support/jobs-app.ts";

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

  test(`${database.name}: a job that dies by a crash is kept for as long as its definition says`, () =>
    database.with(async (url) => {
      const Kept = defineJob("test/kept", { attempts: 1, keep: { dead: "90d" } });
      class KeptJobs {
        routes(): Routes {
          return [job(Kept, () => {})];
        }
      }
      const added = await withJobsApp(url, {}, async (app) => {
        const { id } = await app.get(Jobs).enqueue(Kept, {});
        // as a process leaves it that is killed
        await sql`update tenon_jobs set state = 'running', attempt = 1, claim = 1, lease_until = 1`.execute(
          app.get(Database),
        );
        return id;
      });
      const body = async (app: JobsApp) => {
        await reach(app, added, "dead");
        const { rows } = await sql<{ kept: number }>`select expires_at - finished_at as kept from tenon_jobs`.execute(
          app.get(Database),
        );
        assert.deepEqual(rows, [{ kept: 90 * 86_400_000 }]);
      };
      await withJobsApp(url, { declarations: [KeptJobs] }, body, { background: true });
    }));

  test(`${database.name}: a worker hears of the jobs of another process, and only of those that are committed`, () =>
    database.with(async (url) => {
      const options = { declarations: [TestJobs], pollInterval: "1h" } as const;
      await withJobsApp(url, options, async (sender) => {
        await withJobsApp(
          url,
          options,
          async (runner) => {
            const jobs = sender.get(Jobs);
            const heard: unknown[] = [];
            sender.get(SharedStore).listen("tenon_jobs", (text) => text !== undefined && heard.push(text));
            const enqueue = (text: string, transaction?: Transaction<unknown>) =>
              jobs.enqueue(Echo, { text }, transaction && { transaction });
            const db = sender.get(Database);
            const rolledBack = db.transaction().execute(async (transaction) => {
              await enqueue("rolled back", transaction);
              throw new Error("undo");
            });
            await assert.rejects(rolledBack, /undo/);
            assert.deepEqual(heard, []);
            await reach(runner, (await enqueue("without a transaction")).id, "done");
            const { id } = await db.transaction().execute(async (transaction) => {
              const added = await enqueue("committed", transaction);
              assert.equal(heard.length, 1);
              return added;
            });
            assert.equal(heard.length, 2);
            await reach(runner, id, "done");
          },
          { background: true },
        );
      });
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
      const clock = new FakeClock();
      const body = async (app: JobsApp) => {
        const { events } = app.get(TestJobs);
        const waiting = once(events, "waiting");
        const { id } = await app.get(Jobs).enqueue(Wait, { text: "x" });
        await waiting;
        clock.advance("1h");
        for (const text of ["wakes the loop", "has another turn"]) {
          const { id: next } = await app.get(Jobs).enqueue(Echo, { text });
          await reach(app, next, "done"); // a turn looks for leases that have ended before it claims
        }
        const record = await app.get(Jobs).find(id);
        assert.deepEqual([record?.state, record?.attempt], ["running", 1]);
        await app.get(Jobs).cancel(id);
      };
      const options = { background: true, override: [useClock(clock)] };
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
      const readProgress = async () => (await app.get(Jobs).find(id))?.progress ?? null;
      await until(async () => (await readProgress()) !== null, "progress");
      assert.deepEqual(await readProgress(), { done: 3, total: 4, label: "steps" });
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

  test(`${database.name}: long jobs of one queue leave places to the others`, () =>
    withApp(
      async (app) => {
        const jobs = app.get(Jobs);
        const texts = ["1", "2", "3", "4", "5"].map((text) => ({ text }));
        const long = await jobs.enqueueMany(Wait, texts);
        await until(async () => (await jobs.list({ state: "running" })).length === 2, "two long jobs that run");
        const { id } = await jobs.enqueue(Echo, { text: "short" });
        await reach(app, id, "done");
        assert.equal((await jobs.list({ state: "running", queue: "slow" })).length, 2);
        for (const { id: other } of long.toReversed()) await jobs.cancel(other);
      },
      { concurrency: 3 },
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

test("jobs without a handler are reported in one line, with their number", () => {
  const log = new LogLines();
  const body = async (app: JobsApp) => {
    const Unknown = defineJob("test/unknown", { input });
    const added = await app.get(Jobs).enqueueMany(
      Unknown,
      Array.from({ length: 100 }, () => ({ text: "x" })),
    );
    for (const { id } of added) await reach(app, id, "scheduled");
    await app.get(Jobs).enqueue(Echo, { text: "wakes the loop" });
    await until(() => log.messages("warn").length > 0, "warning");
    const [line = "", ...others] = log.messages("warn");
    assert.match(
      line,
      /^jobs without a handler in this application wait another 15 s to 15 min: test\/unknown \(\d+\)$/,
    );
    assert.deepEqual(others, []);
  };
  return withJobsApp("sqlite::memory:", { declarations: [TestJobs] }, body, { background: true, log: log.options });
});

for (const database of databases) {
  test(`${database.name}: a result that cannot be written does not hold up the others`, () =>
    database.with((url) =>
      withJobsApp(
        url,
        { declarations: [TestJobs] },
        async (app) => {
          const db = app.get(Database);
          await (db.kind === "sqlite" ? refuseOnSqlite : refuseOnPostgres).execute(db);
          const texts = ["a", "refused", "b", "c", "d"];
          const added = await app.get(Jobs).enqueueMany(
            Echo,
            texts.map((text) => ({ text })),
          );
          for (const [index, { id }] of added.entries()) if (index !== 1) await reach(app, id, "done");
          const refused = added[1]?.id ?? 0;
          assert.equal((await app.get(Jobs).find(refused))?.state, "running");
          await (db.kind === "sqlite"
            ? sql`drop trigger refuse_result`
            : sql`alter table tenon_jobs drop constraint refuse_result`
          ).execute(db);
          assert.equal((await reach(app, refused, "done")).attempt, 1);
        },
        { background: true },
      ),
    ));
}

const refuseOnSqlite = sql`create trigger refuse_result before update on tenon_jobs
  when new.result like '%refused%' begin select raise(abort, 'refused'); end`;
const refuseOnPostgres = sql`alter table tenon_jobs add constraint refuse_result check (result not like '%refused%')`;

test("the results of one statement have a bounded size", async () => {
  const Large = defineJob("test/large");
  class LargeJobs {
    readonly #all = Promise.withResolvers<void>();
    #running = 0;
    routes(): Routes {
      return [job(Large, this.run)];
    }
    async run() {
      if (++this.#running === 10) this.#all.resolve();
      await this.#all.promise;
      return "x".repeat(1_000_000);
    }
  }
  const sizes: number[] = [];
  const measure = (message: unknown) => {
    const { sql: text, parameters } = message as TracedSql; // what the channel carries
    if (text.startsWith("update tenon_jobs") && text.includes("o.result")) {
      sizes.push(Math.max(...parameters.map((value) => String(value).length)));
    }
  };
  subscribe("tracing:tenon.sql:start", measure);
  try {
    await withJobsApp(
      "sqlite::memory:",
      { declarations: [LargeJobs], concurrency: 10 },
      async (app) => {
        const inputs = Array.from({ length: 10 }, () => ({}));
        for (const { id } of await app.get(Jobs).enqueueMany(Large, inputs)) await reach(app, id, "done");
      },
      { background: true },
    );
  } finally {
    unsubscribe("tracing:tenon.sql:start", measure);
  }
  assert.ok(Math.max(...sizes) < 4.5 * 1024 * 1024, `${sizes}`);
});

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
