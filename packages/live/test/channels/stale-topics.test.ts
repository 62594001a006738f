import assert from "node:assert/strict";
import { test } from "node:test";
import { StaleTopics } from "../../src/channels/stale-topics.ts";

test("one stale topic is read again until the store responds, then all others", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const stale = new StaleTopics();
  const read: string[] = [];
  let isUp = false;
  const topics = ["a", "b", "c"].map((name) => ({
    pull() {
      read.push(name);
      if (isUp) stale.remove(this);
      else stale.add(this);
    },
  }));
  for (const topic of topics) stale.add(topic);
  for (let round = 0; round < 4; round++) t.mock.timers.tick(250);
  assert.deepEqual(read.splice(0), ["a", "b", "c", "a"]);
  isUp = true;
  t.mock.timers.tick(250);
  assert.deepEqual(read.splice(0), ["b", "c", "a"]);
  t.mock.timers.tick(1000);
  assert.deepEqual(read, []);
  stale.add(topics[0] as (typeof topics)[0]); // the first of three
  stale.close();
  t.mock.timers.tick(1000);
  assert.deepEqual(read, []);
});
