import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { type Bar, fewestRounds, measureParts, Part, verdictOf } from "../bench/src/bar.ts";
import { lateOutcome, loadOpenly, refusedOutcome, unsentOutcome } from "../bench/src/open-load.ts";
import { intervalOf } from "../bench/src/statistics.ts";

const atLeastOne: Bar = { name: "ratio", kind: "at least", limit: 1, unit: "" };
const atMostOne: Bar = { ...atLeastOne, kind: "at most" };

/** The same sequence in every run, evenly from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Ratios that scatter around `middle` by a standard deviation of 5 %. */
function createRatios(seed: number, middle: number): () => number {
  const random = createRandom(seed);
  return () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return middle * Math.exp(0.05 * normal);
  };
}

/** A part of one bar, and how many rounds it has run. */
function createPart(bar: Bar, next: () => number) {
  const rounds: number[] = [];
  const part = new Part([bar], async (round) => {
    rounds.push(round);
    return [next()];
  });
  return { part, rounds };
}

/** True as many times as it says. */
function times(count: number): () => boolean {
  let left = count;
  return () => left-- > 0;
}

test("the interval of a bar is that of Student's t at 99 % over the logarithms", () => {
  const { estimate, low, high } = intervalOf([1, 2, 3, 4, 5].map(Math.exp));
  assert.ok(Math.abs(Math.log(estimate) - 3) < 1e-12);
  const half = 4.604 * Math.sqrt(2.5 / 5);
  assert.ok(Math.abs(Math.log(low) - (3 - half)) < 1e-12);
  assert.ok(Math.abs(Math.log(high) - (3 + half)) < 1e-12);
});

test("one value gives no interval, and none gives no estimate", () => {
  assert.deepEqual(intervalOf([1]), { estimate: 1, low: 0, high: Number.POSITIVE_INFINITY });
  assert.deepEqual(intervalOf([]), { estimate: Number.NaN, low: 0, high: Number.POSITIVE_INFINITY });
});

test("a measurement that failed is an error, not an undecided bar", () => {
  for (const value of [Number.NaN, 0, -1, Number.POSITIVE_INFINITY]) {
    assert.throws(() => intervalOf([1, 1, value, 1]), /positive values/);
  }
});

test("the interval contains the true ratio in about 99 of 100 runs", () => {
  const next = createRatios(1, 1.2);
  for (const rounds of [4, 8, 30]) {
    const runs = Array.from({ length: 2000 }, () => intervalOf(Array.from({ length: rounds }, next)));
    const held = runs.filter(({ low, high }) => low <= 1.2 && high >= 1.2).length / runs.length;
    assert.ok(held > 0.98, `${held} with ${rounds} rounds`);
  }
});

test("a bar is met or missed when its whole interval is on one side, and undecided around the limit", () => {
  const above = [1.1, 1.11, 1.12, 1.11];
  const below = above.map((value) => 1 / value);
  const around = [0.9, 1.1, 0.95, 1.05];
  assert.equal(verdictOf({ ...atLeastOne, values: above }), "met");
  assert.equal(verdictOf({ ...atLeastOne, values: below }), "missed");
  assert.equal(verdictOf({ ...atLeastOne, values: around }), "undecided");
  assert.equal(verdictOf({ ...atMostOne, values: above }), "missed");
  assert.equal(verdictOf({ ...atMostOne, values: below }), "met");
  assert.equal(verdictOf({ ...atMostOne, values: around }), "undecided");
  assert.equal(verdictOf({ ...atMostOne, values: [1, 1, 1, 1] }), "met", "a value at the limit is within it");
});

test("too few rounds decide no bar, even when they agree", () => {
  const values = Array.from({ length: fewestRounds - 1 }, () => 2);
  assert.equal(verdictOf({ ...atLeastOne, values }), "undecided");
  assert.equal(verdictOf({ ...atLeastOne, values: [...values, 2] }), "met");
});

test("a part ends as soon as its bars are decided, and the time left goes to the others", async () => {
  const clear = createPart(atLeastOne, createRatios(2, 1.5));
  const missed = createPart(atMostOne, createRatios(3, 1.5));
  const close = createPart(atLeastOne, createRatios(4, 1));
  const results = await measureParts([clear.part, missed.part, close.part], times(100));
  assert.deepEqual(results.map(verdictOf), ["met", "missed", "undecided"]);
  assert.deepEqual(clear.rounds, [0, 1, 2, 3]);
  assert.equal(missed.rounds.length, fewestRounds);
  assert.ok(close.rounds.length > 30, `${close.rounds.length} rounds`);
  assert.equal(results[2]?.values.length, close.rounds.length);
});

test("a part goes on until each of its bars is decided", async () => {
  const part = new Part([atLeastOne, atLeastOne], async (round) => [1.5, round % 2 === 0 ? 1 : 1.1]);
  const [first, second] = await measureParts([part], times(1000));
  assert.equal(first?.values.length, second?.values.length);
  assert.ok((second?.values.length ?? 0) > fewestRounds);
  assert.deepEqual(
    [first, second].map((result) => result && verdictOf(result)),
    ["met", "met"],
  );
});

test("no round begins after the time limit", async () => {
  const parts = [createPart(atLeastOne, () => 2), createPart(atLeastOne, () => 2)];
  await measureParts(
    parts.map(({ part }) => part),
    times(3),
  );
  assert.deepEqual(
    parts.map(({ rounds }) => rounds),
    [[0, 1], [0]],
  );
});

test("checking after every round decides a bar that is exactly at its limit in at most 5 of 100 runs of 12 rounds", async () => {
  let decided = 0;
  for (let seed = 0; seed < 2000; seed++) {
    const { part } = createPart(atLeastOne, createRatios(seed, 1));
    const [result] = await measureParts([part], times(12));
    if (result !== undefined && verdictOf(result) !== "undecided") decided++;
  }
  assert.ok(decided > 0 && decided <= 100, `${decided} of 2000`);
});

const replies: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  200: (response) => response.end("x".repeat(100_000)), // with its length
  201: (response) => response.writeHead(201).write("x", () => response.end("0")), // in chunks
  [refusedOutcome]: (response) => response.writeHead(503, { "retry-after": "1" }).end(),
  503: (response) => response.writeHead(503).end(),
  "connection closed": (response) => response.destroy(),
};

/** Loads a server for a second. */
async function loadServer(respond: (response: ServerResponse) => void, load: { rate?: number; connections: number }) {
  const server = createServer(({ url }, response) => {
    if (url === "/posts") respond(response);
    else response.end(); // of a connection that is opened
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  const { outcomes } = await loadOpenly({ port, path: "/posts", settle: 0, seconds: 1, ...load });
  server.close();
  return outcomes;
}

test("an open load tells apart what was served, refused and failed", async () => {
  const names = Object.keys(replies);
  const sent: Record<string, number> = {};
  let turn = 0;
  const respond = (response: ServerResponse) => {
    const name = names[turn++ % names.length] ?? "";
    sent[name] = (sent[name] ?? 0) + 1;
    replies[name]?.(response);
  };
  assert.deepEqual(await loadServer(respond, { rate: 200, connections: 100 }), sent);
  assert.deepEqual(Object.keys(sent).toSorted(), names.toSorted());
});

test("an open load goes on while no response arrives, until no connection is free", async () => {
  const outcomes = await loadServer(() => {}, { rate: 10_000, connections: 50 });
  assert.equal(outcomes[lateOutcome], 50);
  assert.ok((outcomes[unsentOutcome] ?? 0) > 0);
});

test("without a rate 20 clients send one request after the other", async () => {
  const open: ServerResponse[] = [];
  const most: number[] = [];
  const respond = (response: ServerResponse) => {
    open.push(response);
    most.push(open.length);
    if (open.length === 20) for (const one of open.splice(0)) setImmediate(() => one.end());
  };
  const { 200: served = 0, ...others } = await loadServer(respond, { connections: 50 });
  assert.equal(Math.max(...most), 20);
  assert.ok(served > 20 && others[unsentOutcome] === undefined);
});
