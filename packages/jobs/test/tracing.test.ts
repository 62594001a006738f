import assert from "node:assert/strict";
import { tracingChannel } from "node:diagnostics_channel";
import { test } from "node:test";
import { type Context, dto, inject, type Routes, string } from "@tenon/core";
import { isMetricSource } from "@tenon/core/internal";
import { Introspection, type Tracing } from "@tenon/core/platform";
import { defineJob, Jobs, job, type TracedEnqueue, type TracedJob } from "@tenon/jobs";
import { databases, withJobsApp } from "./support/jobs-app.ts";

const enqueueTracing: Tracing<TracedEnqueue> = tracingChannel("tenon.enqueue");
const jobTracing: Tracing<TracedJob> = tracingChannel("tenon.job");

const Tell = defineJob("tracing/tell", { input: dto({ text: string("required") }), attempts: 2, backoff: () => 0 });

class TellJobs {
  readonly inside = inject(Introspection);

  routes(): Routes {
    return [job(Tell, this.tell)];
  }

  tell(ctx: Context, { text }: { readonly text: string }) {
    if (text === "fail") throw new Error(`attempt ${ctx.get("job")?.attempt} failed`);
    return text;
  }
}

for (const database of databases) {
  test(`${database.name}: what a subscriber adds to the carrier of a job reaches every attempt`, () =>
    database.with((url) =>
      withJobsApp(url, { declarations: [TellJobs] }, async (app) => {
        const enqueued: unknown[] = [];
        const ran: unknown[] = [];
        const onEnqueue = {
          start: ({ carrier, count }: TracedEnqueue) => void Object.assign(carrier, { traceparent: `of ${count}` }),
          asyncEnd: ({ job: name, queue, id }: TracedEnqueue) => void enqueued.push([name, queue, typeof id]),
        };
        const onJob = {
          asyncEnd: ({ job: name, queue, attempt, carrier, state, error, id }: TracedJob) =>
            void ran.push([name, queue, typeof id, attempt, carrier, state, error instanceof Error && error.message]),
        };
        enqueueTracing.subscribe(onEnqueue);
        jobTracing.subscribe(onJob);
        try {
          const jobs = app.get(Jobs);
          await jobs.enqueue(Tell, { text: "fail" });
          await jobs.enqueueMany(Tell, [{ text: "a" }, { text: "b" }]);
          enqueueTracing.unsubscribe(onEnqueue);
          await jobs.enqueue(Tell, { text: "c" });
          await app.jobs.drain({ allowFailures: true });
        } finally {
          enqueueTracing.unsubscribe(onEnqueue);
          jobTracing.unsubscribe(onJob);
        }
        const once = ["tracing/tell", "default", "number"];
        assert.deepEqual(enqueued, [once, once]);
        const sorted = ran.map((entry) => JSON.stringify(entry)).sort();
        const expected = [
          [...once, 1, { traceparent: "of 1" }, "queued", "attempt 1 failed"],
          [...once, 2, { traceparent: "of 1" }, "dead", "attempt 2 failed"],
          [...once, 1, { traceparent: "of 2" }, "done", false],
          [...once, 1, { traceparent: "of 2" }, "done", false],
          [...once, 1, {}, "done", false],
        ];
        assert.deepEqual(sorted, expected.map((entry) => JSON.stringify(entry)).sort());
      }),
    ));

  test(`${database.name}: the depths of the queues are metrics`, () =>
    database.with((url) =>
      withJobsApp(url, { declarations: [TellJobs] }, async (app) => {
        const jobs = app.get(Jobs);
        await jobs.enqueueMany(Tell, [{ text: "a" }, { text: "b" }]);
        await jobs.enqueue(Tell, { text: "later" }, { delay: "1h" });
        const sources = app.get(TellJobs).inside.instances().filter(isMetricSource);
        const metrics = (await Promise.all(sources.map((source) => source.readMetrics()))).flat();
        const values = metrics.find(({ name }) => name === "tenon_jobs")?.values;
        assert.deepEqual(values, [
          { value: 2, labels: { queue: "default", state: "queued" } },
          { value: 1, labels: { queue: "default", state: "scheduled" } },
        ]);
      }),
    ));

  test(`${database.name}: the metric of the queues reads a bounded number of jobs`, () =>
    database.with((url) =>
      withJobsApp(url, { declarations: [TellJobs] }, async (app) => {
        const inputs = Array.from({ length: 1002 }, () => ({ text: "x" }));
        const Other = defineJob("test/other", { input: dto({ text: string() }), queue: "other" });
        await app.get(Jobs).enqueueMany(Tell, inputs);
        await app.get(Jobs).enqueueMany(Tell, inputs, { delay: "1h" });
        await app.get(Jobs).enqueueMany(Other, inputs.slice(0, 3));
        const sources = app.get(TellJobs).inside.instances().filter(isMetricSource);
        const metrics = (await Promise.all(sources.map((source) => source.readMetrics()))).flat();
        assert.deepEqual(metrics.find(({ name }) => name === "tenon_jobs")?.values, [
          { value: 1000, labels: { queue: "default", state: "queued" } },
          { value: 3, labels: { queue: "other", state: "queued" } },
          { value: 1000, labels: { queue: "default", state: "scheduled" } },
        ]);
      }),
    ));
}

test("a carrier that is too long is not stored", () =>
  databases[0]?.with((url) =>
    withJobsApp(url, { declarations: [TellJobs] }, async (app) => {
      const carriers: unknown[] = [];
      const onEnqueue = {
        start: ({ carrier }: TracedEnqueue) => void Object.assign(carrier, { baggage: "x".repeat(9000) }),
      };
      const onJob = { start: ({ carrier }: TracedJob) => void carriers.push(carrier) };
      enqueueTracing.subscribe(onEnqueue);
      jobTracing.subscribe(onJob);
      try {
        await app.get(Jobs).enqueue(Tell, { text: "a" });
        await app.jobs.drain();
      } finally {
        enqueueTracing.unsubscribe(onEnqueue);
        jobTracing.unsubscribe(onJob);
      }
      assert.deepEqual(carriers, [{}]);
    }),
  ));
