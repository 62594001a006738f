import assert from "node:assert/strict";
import { test } from "node:test";
import { RoundRobin } from "../../src/response/round-robin.ts";

test("those that wait for a turn continue one by one, each in a round of its own", async () => {
  const turns = new RoundRobin();
  const first = turns.round;
  const rounds: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  turns.wait(() => rounds.push(turns.round - first));
  turns.wait(() => rounds.push(turns.round - first));
  turns.wait(resolve);
  await promise;
  assert.deepEqual(rounds, [1, 2]);
});
