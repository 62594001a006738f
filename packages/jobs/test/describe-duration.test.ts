import assert from "node:assert/strict";
import { test } from "node:test";
import { describeDuration } from "../src/describe-duration.ts";

test("a duration is described in the unit that people would use", () => {
  assert.deepEqual([12.4, 3000, 300_000, 7_200_000].map(describeDuration), ["12 ms", "3 s", "5 min", "2 h"]);
});
