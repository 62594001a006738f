import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  type Context,
  dto,
  type Infer,
  inject,
  integer,
  type Middleware,
  type Next,
  type Routes,
  StartError,
  string,
} from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp, FakeClock, useClock } from "@tenon/core/testing";
import { HealthController } from "@tenon/data";
import { defineJob, JobCommands, Jobs, job } from "@tenon/jobs";
import { withJobs } from "@tenon/jobs/testing";
import { z } from "zod";
import { createJobsModule, withJobsApp } from "./support/jobs-app.ts";

const Greet = defineJob("people/greet", {
  summary: "Greets somebody",
  input: dto({ first_name: string("required"), times: integer("min=1") }),
});

class Trace implements Middleware {
  readonly names: string[] = [];
  handle(ctx: Context, next: Next) {
    this.names.push(`${ctx.route?.path}:${ctx.get("job")?.id ?? "command"}`);
    return next();
  }
}

class People {
  readonly #trace = inject(Trace);
  readonly greeted: string[] = [];

  routes(): Routes {
    return [job(Greet, this.greet, { middlewares: [Trace] })];
  }

  async greet(ctx: Context, { first_name, times = 1 }: Infer<typeof Greet.input>) {
    const progress = ctx.progress(times, "greetings");
    for (let time = 0; time < times; time++) {
      this.greeted.push(first_name);
      progress.advance();
    }
    progress.done();
    if (first_name === "Unknown") return { error: "unknown name" };
    return `greeted ${first_name} after ${this.#trace.names.length} runs`;
  }
}

const declarations = [People, Trace, JobCommands];

function createCli() {
  return createTestApp(createJobsModule("sqlite::memory:", { declarations }), cli({ name: "app" }));
}

test("a job runs through the kernel: middlewares, injection, context", () =>
  withJobsApp("sqlite::memory:", { declarations }, async (app) => {
    const { id } = await app.get(Jobs).enqueue(Greet, { first_name: "Ada", times: 2 });
    await app.jobs.drain();
    assert.deepEqual(app.get(Trace).names, [`/people/greet:${id}`.slice(1)]);
    assert.deepEqual(app.get(People).greeted, ["Ada", "Ada"]);
    assert.equal((await app.get(Jobs).find(id))?.result, "greeted Ada after 1 runs");
  }));

test("{ error } fails a job, as it fails a command", () =>
  withJobsApp("sqlite::memory:", { declarations }, async (app) => {
    await app.get(Jobs).enqueue(Greet, { first_name: "Unknown" });
    await assert.rejects(app.jobs.drain(), { name: "JobsFailed", message: /failed: Error: unknown name/ });
  }));

test("a job is a command that runs now, or is queued with --enqueue", async () => {
  const app = withJobs(await createCli());
  try {
    const ran = await app.run(["people", "greet", "--first-name=Ada"]);
    assert.deepEqual([ran.code, ran.stdout], [0, "greeted Ada after 1 runs\n"]);
    assert.deepEqual(app.get(Trace).names, ["people/greet:command"]);
    const queued = await app.run(["people", "greet", "--first-name=Grace", "--enqueue", "--json"]);
    assert.deepEqual(JSON.parse(queued.stdout), { id: 1, created: true });
    const [pending] = await app.jobs.pending(Greet);
    assert.equal(pending?.input.first_name, "Grace");
    const invalid = await app.run(["people", "greet", "--enqueue"]);
    assert.deepEqual([invalid.code, invalid.stderr], [2, "app: --first-name is required\n"]);
    const help = await app.run(["people", "greet", "--help"]);
    assert.match(help.stdout, /Greets somebody[\s\S]*--enqueue +Queues the job instead of running it now/);
  } finally {
    await app.stop();
  }
});

test("the commands of jobs list, show, retry, cancel, prune, pause and resume", async () => {
  const app = withJobs(await createCli());
  const run = async (...words: string[]) => {
    const { stdout } = await app.run([...words, "--json"]);
    return JSON.parse(stdout);
  };
  try {
    await app.run(["people", "greet", "--first-name=Ada", "--enqueue"]);
    assert.equal((await run("jobs", "list", "--state=queued"))[0].id, 1);
    assert.deepEqual((await run("jobs", "show", "1")).input, { first_name: "Ada" });
    assert.deepEqual(await run("jobs", "cancel", "1"), { id: 1, state: "cancelled" });
    assert.match((await app.run(["jobs", "cancel", "1"])).stderr, /job 1 is cancelled\. Only jobs that wait or run/);
    assert.deepEqual(await run("jobs", "retry", "1"), { id: 1, state: "queued" });
    assert.match((await app.run(["jobs", "retry", "7"])).stderr, /there is no job 7/);
    assert.deepEqual(await run("jobs", "pause", "default"), { queue: "default", paused: true });
    assert.equal((await run("jobs", "counts"))[0].paused, true);
    await app.jobs.drain();
    assert.equal((await run("jobs", "show", "1")).state, "queued");
    assert.deepEqual(await run("jobs", "resume", "default"), { queue: "default", paused: false });
    await app.jobs.drain();
    assert.equal((await run("jobs", "show", "1")).state, "done");
    assert.deepEqual(await run("jobs", "prune", "--vacuum"), { deleted: 0 });
    assert.deepEqual(await run("jobs", "schedules"), []);
    const list = await app.run(["jobs", "list"]);
    assert.match(list.stdout, /^id +name +queue +state +attempt +runAt +error\n1 +people\/greet +default +done +1\/10/);
  } finally {
    await app.stop();
  }
});

test("input that no longer matches makes a job dead, with the reason", async () => {
  const Old = defineJob("people/greet", { input: dto({ name: string("required") }) });
  await withJobsApp("sqlite::memory:", { declarations }, async (app) => {
    const { id } = await app.get(Jobs).enqueue(Old, { name: "Ada" });
    await app.jobs.drain({ allowFailures: true });
    const record = await app.get(Jobs).find(id);
    assert.deepEqual([record?.state, record?.error], ["dead", "the input is invalid: first_name is required"]);
    assert.deepEqual(record?.input, { name: "Ada" });
  });
});

test("a job without a handler waits for a process that has one", async () => {
  const Unknown = defineJob("people/unknown");
  await withJobsApp("sqlite::memory:", { declarations }, async (app) => {
    const { id } = await app.get(Jobs).enqueue(Unknown, {});
    await app.jobs.drain({ allowFailures: true });
    const record = await app.get(Jobs).find(id);
    assert.deepEqual([record?.state, record?.attempt], ["scheduled", 0]);
  });
});

test("a job without a handler is looked at less and less often", async () => {
  const clock = new FakeClock("2026-01-01T00:00:00Z");
  await withJobsApp(
    "sqlite::memory:",
    { declarations },
    async (app) => {
      const { id } = await app.get(Jobs).enqueue(defineJob("people/unknown"), {});
      const pauses: number[] = [];
      for (let look = 0; look < 9; look++) {
        await app.jobs.drain({ allowFailures: true });
        const next = Date.parse((await app.get(Jobs).find(id))?.runAt ?? "");
        pauses.push((next - clock.now()) / 1000);
        clock.set(next);
      }
      assert.deepEqual(pauses, [15, 30, 60, 120, 240, 480, 900, 900, 900]);
    },
    { override: [useClock(clock)] },
  );
});

test("inline mode runs a due job before enqueue() returns, and throws what it throws", () =>
  withJobsApp("sqlite::memory:", { declarations }, async (app) => {
    app.jobs.inline();
    await app.get(Jobs).enqueue(Greet, { first_name: "Ada" });
    assert.deepEqual(app.get(People).greeted, ["Ada"]);
    await app.get(Jobs).enqueue(Greet, { first_name: "later" }, { delay: "1h" });
    assert.deepEqual(app.get(People).greeted, ["Ada"]);
    await assert.rejects(app.get(Jobs).enqueue(Greet, { first_name: "Unknown" }), /unknown name/);
  }));

test("a schema of another library is an input: what is enqueued is what it takes", async () => {
  const Count = defineJob("test/count", { input: z.object({ since: z.string().transform((text) => new Date(text)) }) });
  class Counter {
    readonly years: number[] = [];
    routes(): Routes {
      return [job(Count, this.count)];
    }
    count(_: Context, { since }: { since: Date }) {
      this.years.push(since.getUTCFullYear());
    }
  }
  await withJobsApp("sqlite::memory:", { declarations: [Counter] }, async (app) => {
    await app.get(Jobs).enqueue(Count, { since: "2026-01-01" });
    await app.jobs.drain();
    assert.deepEqual(app.get(Counter).years, [2026]);
  });
});

test("/health/ready of a process that runs no jobs does not depend on the workers", async () => {
  const clock = new FakeClock();
  await withJobsApp(
    "sqlite::memory:",
    { declarations: [...declarations, HealthController], inProcess: false },
    async (app) => {
      await app.get(Jobs).enqueue(Greet, { first_name: "Ada" });
      clock.advance("1h");
      const response = await app.request("GET", "/health/ready");
      assert.equal(response.status, 200);
      assert.deepEqual(await response.json(), { status: "ok", checks: { database: "ok", keyValue: "ok" } });
    },
    { override: [useClock(clock)], background: true },
  );
});

test("a job with two handlers stops the start", async () => {
  class Others {
    routes(): Routes {
      return [{ path: "others", children: [job(Greet, this.greet)] }];
    }
    greet() {}
  }
  const module = createJobsModule("sqlite::memory:", { declarations: [...declarations, Others] });
  await assert.rejects(createTestApp(module, api(), { background: true }), (error: unknown) => {
    assert.ok(error instanceof StartError);
    assert.match(error.message, /Job "people\/greet" has two handlers/);
    return true;
  });
});

for (const [name, options, message] of [
  ["Mails", {}, /lower-case words/],
  ["a b", {}, /lower-case words/],
  ["a", { attempts: 0 }, /attempts of defineJob\("a"\) is 0/],
  ["a", { attempts: 1_000_001 }, /attempts of defineJob\("a"\) is 1000001\. It takes a whole number from 1 to 1000000/],
  ["a", { queue: "Q" }, /queue of defineJob\("a"\) is "Q"\. Use lower-case letters/],
  ["a", { timeout: "soon" }, /timeout of defineJob\("a"\) is "soon"\. It takes milliseconds/],
  ["a", { priority: 0.5 }, /priority of defineJob\("a"\) is 0\.5/],
  ["a", { attempt: 3 }, /no option attempt \(did you mean attempts\?\)/],
  ["a", { backoff: { factor: 0 } }, /backoff\.factor of defineJob\("a"\) is 0\. It takes a number from 1/],
  ["a", { input: dto({ enqueue: string() }) }, /the flag of every job/],
] as const) {
  test(`defineJob("${name}", ${JSON.stringify(options)}) is refused`, () => {
    assert.throws(() => defineJob(name, options as object), { name: "StartError", message });
  });
}

test("enqueue() refuses options that contradict or make no sense", () =>
  withJobsApp("sqlite::memory:", { declarations }, async (app) => {
    const jobs = app.get(Jobs);
    const input = { first_name: "Ada" };
    await assert.rejects(jobs.enqueue(Greet, input, { delay: 1, runAt: new Date() }), /delay or runAt, not both/);
    await assert.rejects(jobs.enqueue(Greet, input, { runAt: new Date("x") }), /invalid date/);
    await assert.rejects(jobs.enqueue(Greet, input, { key: "" }), /1 to 1000 characters/);
    await assert.rejects(jobs.enqueue(Greet, input, { attempts: 2 ** 31 }), /a whole number from 1 to 1000000/);
    await assert.rejects(jobs.enqueue(Greet, input, { key: "\ud83d" }), /half a surrogate pair/);
    await assert.rejects(jobs.enqueue(Greet, input, { delay: Number.MAX_SAFE_INTEGER }), /delay is 9007199254740991/);
    await assert.rejects(jobs.enqueue(Greet, input, { delay: "5 minutes" as never }), /delay is "5 minutes"/);
    await assert.rejects(jobs.enqueue(Greet, { first_name: "x".repeat(2 ** 20) }), /Store the data elsewhere/);
    await assert.rejects(async () => jobs.list({ state: "ready" as never }), /not a state of a job/);
    assert.deepEqual(await app.jobs.pending(), []);
  }));
