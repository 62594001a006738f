import assert from "node:assert/strict";
import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { createApp, defineModule, type Routes, route, StartError } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { LogLines } from "../support/log-lines.ts";
import { memoryStreams, withCommands } from "../support/terminal.ts";
import { moduleOf } from "../support/transports.ts";

test("ctx.signal is the caller's, and an interrupted command says nothing", () =>
  withCommands(
    [
      route.command("wait", async (ctx) => {
        await new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason)));
      }),
      { path: "read", handler: (ctx) => ctx.request().body() },
      route.command("late", async (ctx) => {
        ctx.signal.throwIfAborted();
      }),
      { path: "stream", handler: () => new Readable({ read() {} }) },
      route.command(
        "clean",
        (ctx) => new Promise((resolve) => ctx.signal.addEventListener("abort", () => resolve("cleaned up"))),
      ),
      route.command(
        "fail",
        (ctx) =>
          new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(new Error("cannot clean up")))),
      ),
    ],
    async (app) => {
      const outcomes: readonly [name: string, code: number, stdout: string, stderr: string][] = [
        ["wait", 1, "", ""],
        ["read", 1, "", ""],
        ["stream", 1, "", ""],
        ["clean", 0, "cleaned up\n", ""],
        ["fail", 1, "", "blog: cannot clean up\n"],
      ];
      for (const [name, code, stdout, stderr] of outcomes) {
        const controller = new AbortController();
        const streams = { ...memoryStreams(), stdin: new Readable({ read() {} }), signal: controller.signal };
        const ended = app.execute([name], streams);
        setImmediate(() => controller.abort());
        assert.deepEqual([await ended, streams.stdout.text, streams.stderr.text], [code, stdout, stderr], name);
      }
      const aborted = AbortSignal.abort();
      for (const name of ["late", "read"]) {
        assert.deepEqual(await app.run([name], { signal: aborted }), { code: 1, stdout: "", stderr: "" });
      }
    },
  ));

test("progress is shown on stderr, as lines or as a bar", () =>
  withCommands(
    [
      route.command("seed", (ctx) => {
        const progress = ctx.progress(2, "seeding");
        progress.advance();
        progress.advance();
        progress.done();
        ctx.progress(1); // and never done
        return "done";
      }),
      { path: "bad", handler: (ctx) => ctx.progress(Number.NaN) },
    ],
    async (app) => {
      assert.deepEqual(await app.run(["seed"]), {
        code: 0,
        stdout: "done\n",
        stderr: "seeding: 50 %, 1/2\nseeding: 100 %, 2/2\n",
      });
      const streams = memoryStreams(60);
      assert.equal(await app.execute(["seed"], streams), 0);
      assert.equal(streams.stdout.text, "done\n");
      assert.match(
        streams.stderr.text,
        /^\rseeding: \[ +\] 0 %, 0\/2\u001b\[K.*\] 100 %, 2\/2.*\n\r\[ +\] 0 %, 0\/1.*\n$/s,
      );
      assert.equal((await app.run(["bad"])).stderr, "blog: progress() takes a number of steps, not NaN\n");
    },
  ));

test("an output that cannot be written is a failure, an output that is closed by its reader is none", () =>
  withCommands(
    [
      { path: "list", handler: () => [{ id: 1 }] },
      { path: "fail", handler: () => ({ error: "No" }) },
    ],
    async (app) => {
      const failing = (code: string) => {
        const error = Object.assign(new Error(`write ${code}`), { code });
        return { ...memoryStreams(), stdout: new Writable({ write: (_chunk, _encoding, done) => done(error) }) };
      };
      for (const [argv, cause, code, stderr] of [
        [["list"], "ENOSPC", 1, "blog: write ENOSPC\n"],
        [["list"], "EPIPE", 0, ""],
        [["--help"], "ENOSPC", 1, "blog: write ENOSPC\n"],
        [["--help"], "EPIPE", 0, ""],
        [["fail", "--json"], "EPIPE", 1, "blog: No\n"],
        [["list", "-x", "--json"], "EPIPE", 2, "blog: unknown flag -x\n"],
      ] as const) {
        const streams = failing(cause);
        assert.deepEqual([await app.execute(argv, streams), streams.stderr.text], [code, stderr], `${argv} ${cause}`);
      }
    },
  ));

test("the hooks run around commands: not for help, the version or a usage error, once, and not at the end of each", async () => {
  const events: string[] = [];
  class Store {
    onStart() {
      events.push("start");
    }
    onStop() {
      events.push("stop");
    }
    routes(): Routes {
      return [{ path: "list", handler: () => void events.push("list") }];
    }
  }
  const module = defineModule({ name: "app", declarations: [Store] });
  const app = await createApp(module, cli({ name: "blog", version: "1.0.0" }), { log: { level: "silent" } });
  for (const argv of [["--help"], ["list", "-h"], ["help"], ["--version"], ["lits"], [], ["list", "-x"]]) {
    await app.execute(argv, memoryStreams());
  }
  assert.deepEqual(events, []);
  await app.execute(["list"], memoryStreams());
  await app.execute(["list"], memoryStreams());
  assert.deepEqual(events, ["start", "list", "list"]);
  await app.stop();
  assert.deepEqual(events, ["start", "list", "list", "stop"]);
  await assert.rejects(app.execute(["list"], memoryStreams()), (error) => {
    assert.ok(error instanceof StartError);
    return error.problems[0]?.code === "APP_STOPPED";
  });
});

test("a stop waits for the command that runs, and continues without it when it takes too long", async () => {
  const log = new LogLines();
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<string>();
  const wait = () => {
    reached.resolve();
    return gate.promise;
  };
  const options = { log: log.options, stopTimeout: 60_000 };
  const patient = await createTestApp(moduleOf([{ path: "wait", handler: wait }]), cli({ name: "blog" }), options);
  const run = patient.run(["wait"]);
  await reached.promise;
  const stopped = patient.stop();
  gate.resolve("done");
  await stopped;
  assert.equal((await run).stdout, "done\n");
  assert.deepEqual(log.messages("warn"), []);

  const never = moduleOf([{ path: "never", handler: () => new Promise(() => {}) }]);
  const hasty = await createTestApp(never, cli({ name: "blog" }), { ...options, stopTimeout: 1 });
  void hasty.run(["never"]);
  await hasty.stop();
  assert.deepEqual(log.messages("warn"), ["the command did not end in time: the stop goes on without it"]);
});
