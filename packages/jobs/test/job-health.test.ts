import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { Context, Routes } from "@tenon/core";
import { FakeClock, useClock } from "@tenon/core/testing";
import { Database, Health, HealthController, sql } from "@tenon/data";
import { defineJob, Jobs, job } from "@tenon/jobs";
import { until } from "../../core/test/support/until.ts";
import { databases, type JobsApp, reach, sqliteDatabase, withJobsApp } from "./support/jobs-app.ts";

const Long = defineJob("test/long", { queue: "long" });
const Short = defineJob("test/short");

class HealthJobs {
  routes(): Routes {
    return [job(Long, ({ signal }: Context) => once(signal, "abort")), job(Short, () => {})];
  }
}

const statusOf = async (app: JobsApp) => (await app.get(Health).report()).checks.jobs;

for (const database of databases) {
  test(`${database.name}: a process that is busy with long jobs is ready`, () =>
    database.with((url) => {
      const clock = new FakeClock();
      const body = async (app: JobsApp) => {
        const jobs = app.get(Jobs);
        const long = await jobs.enqueue(Long, {});
        await reach(app, long.id, "running");
        const short = await jobs.enqueue(Short, {});
        clock.advance("6m");
        assert.equal(await statusOf(app), "ok");
        await jobs.cancel(long.id);
        await reach(app, short.id, "done");
        assert.equal(await statusOf(app), "ok");
      };
      const options = { background: true, override: [useClock(clock)] };
      return withJobsApp(url, { declarations: [HealthJobs], concurrency: 1, lease: "1h" }, body, options);
    }));
}

test("a process that has a free place and starts nothing is not ready after five minutes", () =>
  sqliteDatabase.with((url) => {
    const clock = new FakeClock();
    const body = async (app: JobsApp) => {
      const refusal = "begin select raise(abort, 'refused'); end";
      await sql
        .raw(`create trigger refuse before update on tenon_jobs when new.state = 'running' ${refusal}`)
        .execute(app.get(Database));
      const { id } = await app.get(Jobs).enqueue(Short, {});
      clock.advance("5m");
      assert.equal(await statusOf(app), "ok");
      clock.advance(1);
      assert.equal(await statusOf(app), "unavailable");
      assert.equal((await app.request("GET", "/health/ready")).status, 503);
      await app.get(Jobs).pause("default");
      assert.equal(await statusOf(app), "ok");
      await app.get(Jobs).resume("default");
      assert.equal(await statusOf(app), "unavailable");
      await sql.raw("drop trigger refuse").execute(app.get(Database));
      await reach(app, id, "done");
      await until(async () => (await statusOf(app)) === "ok", "a ready process");
    };
    const options = { background: true, override: [useClock(clock)] };
    return withJobsApp(url, { declarations: [HealthJobs, HealthController] }, body, options);
  }));
