import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { endsWithin } from "@tenon/core/internal";

test("a pause of the process does not use up a timeout", async () => {
  const work = async () => {
    for (let turns = 0; turns < 5; turns++) await turn();
  };
  const inTime = endsWithin(work(), 100);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300); // nothing else runs meanwhile
  assert.equal(await inTime, true);
  assert.equal(await endsWithin(new Promise(() => {}), 20), false);
});
