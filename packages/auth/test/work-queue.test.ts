import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { HttpError } from "@tenon/core";
import { WorkQueue, type WorkQueueOptions } from "../src/work-queue.ts";

/** Work that ends when the test ends it. */
class Bench {
  readonly queue: WorkQueue;
  readonly started: string[] = [];
  readonly #ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  most = 0;

  constructor(options: WorkQueueOptions) {
    this.queue = new WorkQueue(options);
  }

  run(name: string, client?: string): Promise<string> {
    return this.queue.run(async () => {
      this.started.push(name);
      this.most = Math.max(this.most, this.#ends.size + 1);
      await new Promise<void>((resolve, reject) => this.#ends.set(name, { resolve, reject }));
      return name;
    }, client);
  }

  async end(name: string, error?: Error): Promise<void> {
    const end = this.#ends.get(name);
    assert.ok(end, `${name} runs`);
    this.#ends.delete(name);
    if (error === undefined) end.resolve();
    else end.reject(error);
    await turn();
  }
}

test("at most the given number run at once, and the others start in the order of their calls", async () => {
  const bench = new Bench({ concurrency: 2, maxWait: 1e9 });
  const names = ["a", "b", "c", "d"];
  const results = Promise.all(names.map((name) => bench.run(name)));
  await turn();
  assert.deepEqual(bench.started, ["a", "b"]);
  await bench.end("b");
  assert.deepEqual(bench.started, ["a", "b", "c"]);
  await bench.end("a");
  assert.deepEqual(bench.started, names);
  await bench.end("d");
  await bench.end("c");
  assert.deepEqual(await results, names);
  assert.equal(bench.most, 2);
});

test("a slot that is passed on cannot be taken by a new caller", async () => {
  const bench = new Bench({ concurrency: 1, maxWait: 1e9 });
  const first = bench.run("first");
  const waiting = bench.run("waiting");
  await turn();
  // called right after the end of the first, before the waiting one has started
  const late = first.then(() => bench.run("late"));
  await bench.end("first");
  assert.deepEqual(bench.started, ["first", "waiting"]);
  await bench.end("waiting");
  await bench.end("late");
  await Promise.all([waiting, late]);
  assert.equal(bench.most, 1);
});

test("clients take turns: one that fills the queue makes others wait for one piece of its work", async () => {
  const bench = new Bench({ concurrency: 1, maxWait: 5e8, expected: 1e8 });
  const flood = ["run", "f1", "f2", "f3", "f4", "f5"].map((name) => bench.run(name, "flood"));
  await assert.rejects(bench.run("f6", "flood"), isUnavailable, "a lone client has the whole queue, and no more");
  const others = [bench.run("a1", "ada"), bench.run("b1", "bob"), bench.run("a2", "ada")];
  const order = ["run", "f1", "a1", "b1", "f2", "a2", "f3", "f4", "f5"];
  for (const name of order) {
    await turn();
    await bench.end(name);
  }
  await Promise.all([...flood, ...others]);
  assert.deepEqual(bench.started, order);
});

test("in a full queue the longest line gives up its last caller to a client with a shorter one", async () => {
  const bench = new Bench({ concurrency: 1, maxWait: 1e9, maxWaiting: 3 });
  const kept = ["run", "f1", "f2"].map((name) => bench.run(name, "flood"));
  const given = assert.rejects(bench.run("f3", "flood"), isUnavailable);
  const ada = bench.run("a1", "ada");
  await given;
  await assert.rejects(bench.run("a2", "ada"), isUnavailable, "its line would be as long");
  await assert.rejects(bench.run("f4", "flood"), isUnavailable);
  assert.equal(bench.queue.waiting, 3);
  for (const name of ["run", "f1", "a1", "f2"]) {
    await turn();
    await bench.end(name);
  }
  await Promise.all([...kept, ada]);
  assert.deepEqual([bench.queue.waiting, bench.queue.running], [0, 0]);
});

test("failed work frees its slot, and only its caller gets the error", async () => {
  const bench = new Bench({ concurrency: 1, maxWait: 1e9 });
  const failing = assert.rejects(bench.run("failing"), { message: "broken" });
  const next = bench.run("next");
  await turn();
  await bench.end("failing", new Error("broken"));
  await failing;
  await bench.end("next");
  assert.equal(await next, "next");
  await assert.rejects(
    bench.queue.run(() => {
      throw new Error("broken before it began");
    }),
    { message: "broken before it began" },
  );
  const after = bench.run("after");
  await turn();
  await bench.end("after");
  assert.equal(await after, "after");
});

function isUnavailable(error: unknown): boolean {
  assert.ok(error instanceof HttpError);
  assert.equal(error.status, 503);
  assert.equal(error.message, "Service Unavailable");
  assert.match(error.headers["retry-after"] ?? "", /^[1-9][0-9]*$/);
  return true;
}

test("before any work was timed a few may wait, and the others get 503 and Retry-After", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] }); // a pause of the process is not a wait
  const bench = new Bench({ concurrency: 1, maxWait: 5000 });
  const running = ["run", "w1", "w2", "w3", "w4"].map((name) => bench.run(name));
  await assert.rejects(bench.run("too many"), isUnavailable);
  await assert.rejects(bench.run("too many"), (error: HttpError) => error.headers["retry-after"] === "7");
  for (const name of ["run", "w1", "w2", "w3", "w4"]) {
    await turn();
    await bench.end(name);
  }
  assert.deepEqual(await Promise.all(running), ["run", "w1", "w2", "w3", "w4"]);
  const again = bench.run("again");
  await turn();
  await bench.end("again");
  assert.equal(await again, "again", "a later caller finds a slot");
  assert.ok(!bench.started.includes("too many"));
});

test("the expected duration counts until some work was timed", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] }); // a pause of the process is not a wait
  const bench = new Bench({ concurrency: 1, maxWait: 1000, expected: 500 });
  const names = ["run", "w1", "w2"];
  const accepted = names.map((name) => bench.run(name));
  await assert.rejects(bench.run("w3"), (error: HttpError) => error.headers["retry-after"] === "2");
  for (const name of names) {
    await turn();
    await bench.end(name);
  }
  await Promise.all(accepted);
});

test("the number of waiting callers depends on the measured duration", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  context.mock.method(performance, "now", () => now);
  const bench = new Bench({ concurrency: 2, maxWait: 1000 });
  const measured = bench.run("measured");
  await turn();
  now += 500;
  await bench.end("measured");
  await measured;
  // 500 ms each in two slots: the fourth in the queue waits 1,000 ms, a fifth would wait longer
  const names = ["a", "b", "w1", "w2", "w3", "w4"];
  const accepted = names.map((name) => bench.run(name));
  await assert.rejects(bench.run("w5"), (error: HttpError) => error.headers["retry-after"] === "2");
  for (const name of names) {
    await turn();
    await bench.end(name);
  }
  await Promise.all(accepted);
});

test("work that fails at once does not change the measured duration", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  context.mock.method(performance, "now", () => now);
  const bench = new Bench({ concurrency: 1, maxWait: 1000 });
  const measured = bench.run("measured");
  await turn();
  now += 1000;
  await bench.end("measured");
  await measured;
  for (let count = 0; count < 50; count++) {
    await assert.rejects(
      bench.queue.run(async () => {
        throw new Error("broken");
      }),
    );
  }
  const accepted = ["run", "w1"].map((name) => bench.run(name));
  await assert.rejects(bench.run("w2"), isUnavailable);
  for (const name of ["run", "w1"]) {
    await turn();
    await bench.end(name);
  }
  await Promise.all(accepted);
});

test("a caller that waits longer than maxWait gets 503, and the others keep their order", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const bench = new Bench({ concurrency: 1, maxWait: 1000, expected: 10 });
  const running = bench.run("run");
  const early = assert.rejects(bench.run("early"), isUnavailable);
  await turn();
  context.mock.timers.tick(600);
  const [late, later] = [bench.run("late"), bench.run("later")];
  await turn();
  context.mock.timers.tick(400);
  await early;
  await bench.end("run");
  await bench.end("late");
  context.mock.timers.tick(10_000);
  await bench.end("later");
  assert.deepEqual(await Promise.all([running, late, later]), ["run", "late", "later"]);
  assert.deepEqual(bench.started, ["run", "late", "later"], "work whose caller timed out is not started");
});

test("the number of waiting callers has a limit, however fast the work is", async (context) => {
  context.mock.method(performance, "now", () => 1);
  const bench = new Bench({ concurrency: 1, maxWait: 1e12, maxWaiting: 3 });
  const accepted = ["run", "w1", "w2", "w3"].map((name) => bench.run(name));
  await assert.rejects(bench.run("w4"), isUnavailable);
  for (const name of ["run", "w1", "w2", "w3"]) {
    await turn();
    await bench.end(name);
  }
  await Promise.all(accepted);
});
