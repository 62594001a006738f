import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule, provide, token } from "@tenon/core";
import { createTestApp, FakeClock, useClock } from "@tenon/core/testing";
import { dataModule, sql } from "@tenon/data";
import { defineJob, Jobs, jobsModule } from "@tenon/jobs";
import { JobStore, type Outcome } from "../src/store/job-store.ts";
import { databases } from "./support/jobs-app.ts";

const Plain = defineJob("test/plain", { attempts: 2 });
const TestStore = token<JobStore>("TestStore");
const lease = 30_000;
const keep = 60_000;

for (const database of databases) {
  /** The store of an application, and its clock. */
  const withStore = (body: (store: JobStore, jobs: Jobs, clock: FakeClock) => Promise<void>) =>
    database.with(async (url) => {
      const clock = new FakeClock("2026-01-01T00:00:00Z");
      const data = dataModule({ database: url });
      const module = defineModule({
        name: "app",
        imports: [data, jobsModule(data)],
        declarations: [provide(TestStore, () => new JobStore())],
      });
      const app = await createTestApp(module, api(), { override: [useClock(clock)] });
      try {
        await body(app.get(TestStore), app.get(Jobs), clock);
      } finally {
        await app.stop();
      }
    });
  const outcome = (claim: { id: number; claim: number }, state: Outcome["state"]): Outcome => {
    return { id: claim.id, claim: claim.claim, state, result: null, error: null, delay: 0, keep, refund: false };
  };

  test(`${database.name}: a job whose lease has ended runs elsewhere, and the late worker cannot complete it`, () =>
    withStore(async (store, jobs, clock) => {
      const { id } = await jobs.enqueue(Plain, {});
      const [late] = await store.claim("default", 10, "late", lease);
      assert.ok(late);
      assert.deepEqual(await store.claim("default", 10, "other", lease), []);
      clock.advance("29s");
      assert.deepEqual(await store.rescue(keep, "lost"), []);
      clock.advance("2s");
      assert.deepEqual(
        (await store.rescue(keep, "lost")).map(({ state }) => state),
        ["queued"],
      );
      const [taken] = await store.claim("default", 10, "other", lease);
      assert.equal(taken?.id, id);
      assert.equal(taken?.attempt, 2);
      assert.deepEqual([...(await store.renew([late], lease))], []);
      assert.deepEqual([...(await store.finish([outcome(late, "done")]))], []);
      assert.equal((await jobs.find(id))?.state, "running");
      assert.deepEqual([...(await store.finish([outcome(taken ?? late, "done")]))], [id]);
      assert.deepEqual([...(await store.finish([outcome(late, "dead")]))], []);
      assert.equal((await jobs.find(id))?.state, "done");
    }));

  test(`${database.name}: a renewed lease is not rescued`, () =>
    withStore(async (store, jobs, clock) => {
      const { id } = await jobs.enqueue(Plain, {});
      const claimed = await store.claim("default", 10, "worker", lease);
      clock.advance("20s");
      assert.deepEqual([...(await store.renew(claimed, lease))], [id]);
      clock.advance("20s");
      assert.deepEqual(await store.rescue(keep, "lost"), []);
    }));

  test(`${database.name}: a job whose process always crashes is dead after its attempts`, () =>
    withStore(async (store, jobs, clock) => {
      const { id } = await jobs.enqueue(Plain, {});
      for (const state of ["queued", "dead"]) {
        await store.claim("default", 1, "worker", lease);
        clock.advance("1m");
        assert.deepEqual(
          (await store.rescue(keep, "the process has disappeared")).map((rescued) => rescued.state),
          [state],
        );
      }
      assert.equal((await jobs.find(id))?.error, "the process has disappeared");
    }));

  test(`${database.name}: jobs of a claim whose result was lost are given back`, () =>
    withStore(async (store, jobs) => {
      const known = await jobs.enqueue(Plain, {});
      const [held] = await store.claim("default", 1, "worker", lease);
      const lost = await jobs.enqueue(Plain, {});
      await store.claim("default", 1, "worker", lease);
      assert.equal(await store.reclaim("worker", [held?.id ?? 0]), 1);
      assert.equal((await jobs.find(known.id))?.state, "running");
      assert.equal((await jobs.find(lost.id))?.state, "queued");
      assert.equal((await jobs.find(lost.id))?.attempt, 0);
    }));

  test(`${database.name}: larger priorities start first, then older jobs`, () =>
    withStore(async (store, jobs, clock) => {
      const ids: number[] = [];
      for (const priority of [0, -1, 5, 0]) {
        ids.push((await jobs.enqueue(Plain, {}, { priority })).id);
        clock.advance(1);
      }
      const claimed = await store.claim("default", 3, "worker", lease);
      assert.deepEqual(
        claimed.map(({ id }) => id),
        [ids[2], ids[0], ids[3]],
      );
    }));

  test(`${database.name}: two claims at the same time share the jobs`, () =>
    withStore(async (store, jobs) => {
      await jobs.enqueueMany(
        Plain,
        Array.from({ length: 40 }, () => ({})),
      );
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, index) => store.claim("default", 5, `worker ${index}`, lease)),
      );
      const ids = claims.flat().map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      const rest = await store.claim("default", 40, "last", lease);
      assert.equal(ids.length + rest.length, 40);
    }));

  test(`${database.name}: a rate holds for all processes together`, () =>
    withStore(async (store, jobs, clock) => {
      await jobs.enqueueMany(
        Plain,
        Array.from({ length: 10 }, () => ({})),
      );
      const rate = { limit: 3, per: 1000 };
      assert.equal((await store.claimWithin(rate, "default", 2, "a", lease)).rows.length, 2);
      clock.advance(400);
      const second = await store.claimWithin(rate, "default", 2, "b", lease);
      assert.equal(second.rows.length, 1);
      assert.equal(second.wait, 600);
      assert.equal((await store.claimWithin(rate, "default", 2, "a", lease)).rows.length, 0);
      clock.advance(600);
      assert.equal((await store.claimWithin(rate, "default", 9, "a", lease)).rows.length, 3);
    }));

  test(`${database.name}: finished jobs are deleted when their time is over`, () =>
    withStore(async (store, jobs, clock) => {
      const { id } = await jobs.enqueue(Plain, {});
      const waiting = await jobs.enqueue(Plain, {}, { delay: "1d" });
      const [claimed] = await store.claim("default", 1, "worker", lease);
      await store.finish([outcome(claimed ?? { id: 0, claim: 0 }, "done")]);
      clock.advance(keep - 1);
      assert.equal(await jobs.prune(), 0);
      clock.advance(1);
      assert.equal(await jobs.prune(), 1);
      assert.equal(await jobs.find(id), undefined);
      assert.equal((await jobs.find(waiting.id))?.state, "scheduled");
      await jobs.vacuum();
    }));

  test(`${database.name}: a job that is retried while finished jobs are deleted is kept`, () =>
    withStore(async (store, jobs, clock) => {
      const { id } = await jobs.enqueue(Plain, {});
      await jobs.cancel(id);
      clock.advance("30d");
      const pruned = await store.database.transaction().execute(async (transaction) => {
        await sql`update tenon_jobs set state = 'queued', expires_at = null where id = ${id}`.execute(transaction);
        const pruning = jobs.prune();
        if (store.database.kind === "postgres") await pruning; // on SQLite it waits for the transaction
        return { pruning };
      });
      assert.equal(await pruned.pruning, 0);
      assert.equal((await jobs.find(id))?.state, "queued");
    }));

  test(`${database.name}: progress is saved for the claim that reports it`, () =>
    withStore(async (store, jobs) => {
      const { id } = await jobs.enqueue(Plain, {});
      const [claimed] = await store.claim("default", 1, "worker", lease);
      const progress = { done: 1, total: 4, label: "files" };
      await store.saveProgress([{ id, claim: claimed?.claim ?? 0, progress: JSON.stringify(progress) }]);
      await store.saveProgress([{ id, claim: 99, progress: "{}" }]);
      assert.deepEqual((await jobs.find(id))?.progress, progress);
    }));

  test(`${database.name}: a key for a period is free after the period and the end of its job`, () =>
    withStore(async (store, jobs, clock) => {
      const add = () => jobs.enqueue(Plain, {}, { key: "daily", keyFor: "1h" });
      assert.equal((await add()).created, true);
      const [claimed] = await store.claim("default", 1, "worker", lease);
      await store.finish([outcome(claimed ?? { id: 0, claim: 0 }, "done")]);
      clock.advance("59m");
      assert.equal((await add()).created, false);
      clock.advance("1m");
      const next = await add();
      assert.equal(next.created, true);
      clock.advance("2h");
      assert.deepEqual(await add(), { id: next.id, created: false }); // it still waits
    }));

  test(`${database.name}: many jobs with keys report those that were there`, () =>
    withStore(async (_, jobs) => {
      const first = await jobs.enqueue(Plain, {}, { key: "b" });
      const added = await jobs.enqueueMany(Plain, [{}, {}, {}, {}], {
        key: (_, index) => ["a", "b", "c", "a"][index] ?? "",
      });
      assert.deepEqual(
        added.map(({ created }) => created),
        [true, false, true, false],
      );
      assert.equal(added[1]?.id, first.id);
      assert.equal(added[3]?.id, added[0]?.id);
    }));

  test(`${database.name}: jobs are listed and counted by queue and state`, () =>
    withStore(async (_, jobs, clock) => {
      const first = await jobs.enqueue(Plain, {});
      const second = await jobs.enqueue(Plain, {}, { delay: "1h" });
      await jobs.cancel(first.id);
      assert.deepEqual(
        (await jobs.list()).map(({ id, state }) => [id, state]),
        [
          [second.id, "scheduled"],
          [first.id, "cancelled"],
        ],
      );
      assert.deepEqual(
        (
          await jobs.list({ state: "cancelled", queue: "default", name: "test/plain", before: second.id, limit: 1 })
        ).map(({ id }) => id),
        [first.id],
      );
      const counts = await jobs.counts();
      assert.deepEqual(
        counts.map(({ queue, state, count }) => [queue, state, count]),
        [
          ["default", "cancelled", 1],
          ["default", "scheduled", 1],
        ],
      );
      assert.equal(counts[1]?.oldest, new Date(clock.now() + 3_600_000).toISOString());
      assert.equal(await jobs.retry(first.id), true);
      assert.equal(await jobs.retry(first.id), false);
    }));

  test(`${database.name}: a retry of a job whose key another one holds is refused`, () =>
    withStore(async (_, jobs) => {
      const first = await jobs.enqueue(Plain, {}, { key: "k" });
      await jobs.cancel(first.id);
      assert.equal((await jobs.enqueue(Plain, {}, { key: "k" })).created, true);
      await assert.rejects(jobs.retry(first.id), /another job with its key waits or runs/);
    }));
}
