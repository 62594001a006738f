import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Workers } from "../../../server/src/workers/workers.ts";
import { ChildServer } from "../support/child-server.ts";
import { isRunning } from "../support/is-running.ts";
import { openSocketsOf } from "../support/open-files.ts";
import { requestRaw } from "../support/raw-request.ts";
import { runFixture } from "../support/run-fixture.ts";
import { until } from "../support/until.ts";

const run = (body: (server: ChildServer) => Promise<void>, ...args: readonly string[]) =>
  ChildServer.run("workers.ts", args, body);

interface Served {
  readonly worker: string;
  readonly pid: number;
}

/** One request on a connection of its own. Undefined when it was refused or cut off. */
async function request(server: ChildServer, path = "/"): Promise<Served | undefined> {
  const { status, body } = await requestRaw(server.port, path);
  return status === 200 ? JSON.parse(body) : undefined;
}

/** Requests until both workers have responded, also one that has started and does not listen yet. Returns their processes by number. */
async function findWorkers(server: ChildServer): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  await until(async () => {
    // several at once: one after the other, they may all reach the same worker
    const served = await Promise.all(Array.from({ length: 4 }, () => request(server)));
    for (const response of served) if (response !== undefined) found.set(response.worker, response.pid);
    return found.size === 2;
  }, "response of both workers");
  return found;
}

async function untilReplaced(server: ChildServer, old: ReadonlyMap<string, number>): Promise<Map<string, number>> {
  const isOld = (pid: number) => [...old.values()].includes(pid);
  let found = new Map<string, number>();
  await until(async () => {
    found = await findWorkers(server);
    return ![...found.values()].some(isOld);
  }, "new workers");
  return found;
}

/** Ends a worker and waits until the primary knows. */
async function kill(pid: number | undefined): Promise<void> {
  if (pid === undefined) throw new Error("the worker has no process");
  process.kill(pid, "SIGKILL");
  await until(() => !isRunning(pid), "end of the worker");
}

/** Runs the fixture with the name of a file that changes what its workers do. In the mode "early" it is there from the start on. */
async function withFault(mode: string, body: (server: ChildServer, fault: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-workers-"));
  const fault = join(folder, "fault");
  if (mode === "early") writeFileSync(fault, "");
  try {
    await run((server) => body(server, fault), mode, fault);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Stops gracefully. */
async function stop(server: ChildServer): Promise<void> {
  server.signal("SIGTERM");
  assert.equal(await server.exit(), 0);
}

const logOf = ({ lines }: ChildServer) => lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));

/** How many lines begin with a text. */
const count = ({ lines }: ChildServer, start: string) => lines.filter((line) => line.startsWith(start)).length;

// concurrent, because each test loads processes of its own; three each, so that all of them at once would start too slowly
describe("workers", { concurrency: 4 }, () => {
  test("listen({ workers: 2 }) serves from two processes, whose log lines have their numbers, and stops with both", () =>
    run(async (server) => {
      const found = await findWorkers(server);
      assert.deepEqual([...found.keys()].toSorted(), ["1", "2"]);
      assert.deepEqual(server.lines.filter((line) => line.startsWith("started")).toSorted(), [
        "started 1",
        "started 2",
      ]);
      await Promise.all([server.waitFor('"path":"/"', 2), server.waitFor("listening on")]); // written a moment later
      const logged = logOf(server);
      const requests = logged.filter((line) => line.path === "/");
      assert.ok(requests.length >= 2 && requests.every((line) => line.worker === 1 || line.worker === 2));
      assert.equal(
        logged.filter((line) =>
          /^listening on .* with 2 workers: what they keep in memory is per process$/.test(line.msg),
        ).length,
        1,
      );
      const slow = request(server, "/slow");
      await server.waitFor("working");
      server.signal("SIGTERM");
      assert.ok((await slow)?.worker);
      assert.equal(await server.exit(), 0);
      assert.deepEqual(server.lines.filter((line) => line.startsWith("stopped")).toSorted(), [
        "stopped 1",
        "stopped 2",
      ]);
    }));

  test("a worker with an unhandled rejection ends its requests, and is replaced", () =>
    run(async (server) => {
      await findWorkers(server);
      const slow = Array.from({ length: 8 }, () => request(server, "/slow"));
      await server.waitFor("working", 8);
      assert.equal((await requestRaw(server.port, "/reject")).status, 204);
      assert.ok((await Promise.all(slow)).every((served) => served !== undefined));
      await server.waitFor("started", 3);
      const logged = logOf(server);
      const [crash] = logged.filter(({ msg }) => msg === "unhandled rejection: stopping");
      assert.deepEqual([crash?.level, crash?.err.message], ["fatal", "rejected"]);
      assert.ok(logged.some((line) => line.worker === crash?.worker && /^the worker ended with 1:/.test(line.msg)));
      await stop(server);
    }));

  test("SIGHUP replaces all workers, and no connection is refused meanwhile", () =>
    run(async (server) => {
      const before = await findWorkers(server);
      let [served, refused] = [0, 0];
      let isDone = false;
      const keepConnecting = async () => {
        while (!isDone) {
          if ((await request(server)) === undefined) refused++;
          else served++;
        }
      };
      const clients = Array.from({ length: 4 }, keepConnecting);
      server.signal("SIGHUP");
      const after = await server
        .waitFor("the workers were restarted")
        .then(() => untilReplaced(server, before))
        .finally(() => {
          isDone = true; // also after a failure: the clients would connect for ever, and the process would not end
        });
      await Promise.all(clients);
      assert.equal(after.size, 2);
      assert.equal(refused, 0);
      assert.ok(served > 0);
      await stop(server);
    }));

  test("SIGTERM stops gracefully while the first worker serves and the second one starts", () =>
    withFault("early", async (server, fault) => {
      const slow = request(server, "/slow");
      await server.waitFor("working");
      server.signal("SIGTERM");
      await server.waitFor("SIGTERM: stopping");
      assert.equal((await slow)?.worker, "1");
      rmSync(fault);
      assert.equal(await server.exit(), 0);
      assert.ok(!server.lines.some((line) => line.includes("listening on")));
    }));

  test("SIGHUP while the second worker starts replaces both after the start", () =>
    withFault("early", async (server, fault) => {
      const first = await request(server);
      server.signal("SIGHUP");
      assert.equal((await request(server, "/slow"))?.worker, "1");
      rmSync(fault);
      await server.waitFor("the workers were restarted");
      assert.ok(![...(await findWorkers(server)).values()].includes(first?.pid ?? 0));
      await stop(server);
    }));

  test("requests that wait for busy workers when SIGTERM arrives are answered", () =>
    run(async (server) => {
      await findWorkers(server);
      const sent = Array.from({ length: 200 }, () => request(server, "/busy/5"));
      await server.waitFor("blocking", 5);
      server.signal("SIGTERM");
      const served = await Promise.all(sent);
      assert.equal(served.filter((response) => response === undefined).length, 0);
      assert.equal(await server.exit(), 0);
    }));

  test("a worker that hangs and is killed takes no connection and no descriptor of the primary with it", () =>
    run(async (server) => {
      const workers = await findWorkers(server);
      const sockets = () => openSocketsOf(server.pid).length;
      const before = sockets();
      void request(server, "/block");
      await server.waitFor("blocking");
      const served = await Promise.all(Array.from({ length: 50 }, () => request(server)));
      const [blocked] = [...workers].filter(([id]) => id !== served[0]?.worker);
      assert.ok(served.every((response) => response !== undefined && response.worker !== blocked?.[0]));
      await kill(blocked?.[1]);
      await server.waitFor("started", 3);
      await until(() => sockets() <= before, "end of descriptors");
      await stop(server);
    }));

  test("a replacement that hangs at its start is killed, and another one starts", () =>
    withFault("impatient", async (server, fault) => {
      const before = await findWorkers(server);
      writeFileSync(fault, "slow");
      await kill(before.get("1"));
      await server.waitFor("the worker did not start in 60 s and was killed");
      rmSync(fault);
      await server.waitFor("started 1", 2);
      assert.equal((await findWorkers(server)).size, 2);
      await stop(server);
    }));

  test("SIGHUP keeps the old workers when a new one crashes right after its start", () =>
    withFault("", async (server, fault) => {
      const before = await findWorkers(server);
      writeFileSync(fault, "crash");
      server.signal("SIGHUP");
      await server.waitFor("the new worker did not start: the old ones go on");
      assert.deepEqual(await findWorkers(server), before);
      await stop(server);
    }));

  test("SIGHUP keeps the old workers when a new one does not start, and works again later", () =>
    withFault("", async (server, fault) => {
      const before = await findWorkers(server);
      writeFileSync(fault, "fail");
      server.signal("SIGHUP");
      await server.waitFor("the new worker did not start: the old ones go on");
      assert.deepEqual(await findWorkers(server), before);
      rmSync(fault);
      server.signal("SIGHUP");
      await server.waitFor("SIGHUP: restarting the workers", 2);
      server.signal("SIGHUP"); // during the restart, so that another one follows
      await server.waitFor("the workers were restarted", 2);
      assert.equal((await untilReplaced(server, before)).size, 2);
      await stop(server);
    }));

  test("a stop waits for workers that are starting, also for one that replaces a crashed one during a restart", () =>
    withFault("", async (server, fault) => {
      const before = await findWorkers(server);
      writeFileSync(fault, "slow");
      server.signal("SIGHUP");
      await server.waitFor("starting 1", 2);
      process.kill(before.get("1") ?? 0, "SIGKILL"); // the one that starts takes its place
      process.kill(before.get("2") ?? 0, "SIGKILL");
      await server.waitFor("starting 2", 2);
      server.signal("SIGTERM");
      await server.waitFor("SIGTERM: stopping");
      rmSync(fault);
      assert.equal(await server.exit(), 0);
      assert.equal(count(server, "starting"), 4);
    }));

  test("a stop waits for a worker that has not begun to listen", () =>
    withFault("", async (server, fault) => {
      writeFileSync(fault, "load");
      server.signal("SIGHUP");
      await server.waitFor("loading");
      server.signal("SIGTERM");
      await server.waitFor("SIGTERM: stopping");
      rmSync(fault);
      assert.equal(await server.exit(), 0);
      assert.equal(count(server, "stopped"), 3);
    }));

  test("a worker that ends while its successor fails to start is replaced", () =>
    withFault("", async (server, fault) => {
      const old = await findWorkers(server);
      writeFileSync(fault, "load");
      server.signal("SIGHUP");
      await server.waitFor("loading 1 ");
      await kill(old.get("1"));
      await kill(Number(/^loading 1 (\d+)$/m.exec(server.lines.join("\n"))?.[1]));
      rmSync(fault);
      await server.waitFor("the worker ended with an exit during the restart: a new one starts in 100 ms");
      assert.notEqual((await findWorkers(server)).get("1"), old.get("1"));
      await stop(server);
    }));

  test("packages exchange messages between the workers and their primary", () =>
    run(async (server) => {
      const { worker, reply } = JSON.parse((await requestRaw(server.port, "/ask")).body);
      assert.deepEqual(reply, { body: `asked by ${worker}`, count: 2 });
      await Promise.all(["1", "2"].map((one) => server.waitFor(`news for ${one}: asked by ${worker}`)));
      await stop(server);
    }));

  test("a stop during a restart starts no further worker", () =>
    withFault("", async (server, fault) => {
      writeFileSync(fault, "hold");
      const held: Promise<Served | undefined>[] = [];
      while (!server.lines.includes("holding 1") || !server.lines.includes("holding 2")) {
        held.push(request(server, "/hold"));
        await server.waitFor("holding", held.length);
      }
      server.signal("SIGHUP");
      await server.waitFor('"msg":"stopping"'); // the first worker, which waits for its request
      server.signal("SIGTERM");
      await server.waitFor("SIGTERM: stopping");
      rmSync(fault);
      assert.ok((await Promise.all(held)).every((served) => served !== undefined));
      assert.equal(await server.exit(), 0);
      assert.equal(count(server, "starting"), 3);
    }));

  test("a worker that crashes while its successor starts is not replaced twice", () =>
    withFault("", async (server, fault) => {
      const before = await findWorkers(server);
      writeFileSync(fault, "slow");
      server.signal("SIGHUP");
      await server.waitFor("starting 1", 2);
      await kill(before.get("1"));
      rmSync(fault);
      await server.waitFor("the workers were restarted");
      await untilReplaced(server, before);
      await stop(server);
      assert.equal(count(server, "starting"), 4);
    }));

  test("a worker that crashes before the others have started is replaced", () =>
    withFault("early exit", async (server) => {
      await server.waitFor("started 1", 2);
      assert.ok(server.lines.some((line) => line.includes("the worker ended with an early exit")));
      await stop(server);
    }));

  test("a worker that fails to start after the first one is replaced", () =>
    withFault("second fails", async (server) => {
      await server.waitFor("started 2");
      assert.ok(server.lines.some((line) => line.includes("the worker ended with an early exit")));
      await findWorkers(server);
      await stop(server);
    }));

  test("the delay before a new worker doubles, and starts over after ten seconds without a crash", () =>
    withFault("clock", async (server, clock) => {
      for (const [round, [time, delay]] of [
        [0, 100],
        [0, 200],
        [11_000, 100],
      ].entries()) {
        const workers = await findWorkers(server);
        writeFileSync(clock, String(time));
        await kill(workers.get("1"));
        await server.waitFor("starting 1", round + 2);
        const reports = server.lines.filter((line) => line.includes("the worker ended with SIGKILL"));
        assert.match(reports.at(-1) ?? "", new RegExp(`a new one starts in ${delay} ms`));
      }
      await stop(server);
    }));

  test('workers: "all" starts one for each CPU core', { skip: availableParallelism() === 1 }, () =>
    run(async (server) => {
      await server.waitFor(`with ${availableParallelism()} workers`);
      assert.equal(count(server, "started"), availableParallelism());
      await stop(server);
    }, "all"),
  );

  test("a signal that reaches the workers too, as Ctrl-C does, is one signal", () =>
    run(async (server) => {
      const workers = await findWorkers(server);
      const slow = [request(server, "/slow"), request(server, "/slow")];
      await server.waitFor("working", 2);
      for (const pid of workers.values()) process.kill(pid, "SIGINT");
      server.signal("SIGINT");
      for (const pid of workers.values()) process.kill(pid, "SIGINT");
      assert.ok((await Promise.all(slow)).every((served) => served !== undefined));
      assert.equal(await server.exit(), 0);
      assert.equal(count(server, "stopped"), 2);
    }));

  test("app.stop() in the primary stops the workers, also without signals", () =>
    run(async (server) => {
      await findWorkers(server);
      server.signal("SIGUSR2");
      assert.equal(await server.exit(), 0);
      const events = server.lines.filter((line) => /^(?:stopped|ended)/.test(line));
      assert.deepEqual([events.toSorted(), events.at(-1)], [["ended", "stopped 1", "stopped 2"], "ended"]);
    }, "stop"));

  test("a worker that does not stop in time is killed", () =>
    run(async (server) => {
      await findWorkers(server);
      void request(server, "/block");
      await server.waitFor("blocking");
      await stop(server);
      assert.ok(server.lines.some((line) => line.includes("a worker did not stop in time and was killed")));
    }, "block"));

  test("a worker that hangs in its start keeps a stop waiting no longer than requests may", () =>
    withFault("patient", async (server, fault) => {
      const before = await findWorkers(server);
      writeFileSync(fault, "slow");
      await kill(before.get("1"));
      await server.waitFor("starting 1", 2);
      await stop(server);
      assert.ok(server.lines.some((line) => line.includes("a worker did not stop in time and was killed")));
      assert.equal(count(server, "stopped"), 1);
    }));

  test("workers that are stopped before they start do not start", async () => {
    const workers = new Workers(2, console, 1000, 1000); // nothing is logged
    await workers.stop();
    await assert.rejects(workers.start(), { message: "the workers were stopped during their start" });
    assert.equal(workers.count, 0);
  });

  test("a second listen() with workers stops the start", async () => {
    const { code, stderr } = await runFixture("workers.ts", ["twice"]);
    assert.equal(code, 1);
    assert.match(stderr, /^Cannot start: listen\(\) with workers was called before\. .* See .*#bad_option\n$/);
  });

  test("a start error is printed once, and the primary exits with 1", async () => {
    const { code, stderr } = await runFixture("workers.ts", ["fail"]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^Cannot start: onStart\(\) of WorkerController .* failed: no database\..* See .*#start_hook_failed\n$/,
    );
  });

  test("a second signal ends the primary and its workers at once", () =>
    run(async (server) => {
      await findWorkers(server);
      const slow = request(server, "/hang");
      await server.waitFor("working");
      server.signal("SIGTERM");
      server.signal("SIGINT");
      assert.ok([130, 143].includes(Number(await server.exit())));
      await slow.catch(() => {});
    }));
});
