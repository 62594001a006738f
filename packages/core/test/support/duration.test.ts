import assert from "node:assert/strict";
import { test } from "node:test";

import { type Duration, parseDuration } from "@tenon/core/internal";

test("a duration is milliseconds, or a number with its unit", () => {
  const durations: readonly Duration[] = [0, 1.4, "500ms", "1.5s", "5m", "2h", "7d"];
  assert.deepEqual(
    durations.map((duration) => parseDuration(duration)),
    [0, 1, 500, 1500, 300_000, 7_200_000, 604_800_000],
  );
});

test("what is not a duration is refused", () => {
  for (const value of [-1, Number.NaN, 1e16, "", "5", "5 s", "5y", "-1s", null, {}]) {
    assert.throws(() => parseDuration(value as Duration, "ttl"), {
      name: "RangeError",
      message: `ttl is ${JSON.stringify(value)}. It takes milliseconds, or a text such as "500ms", "30s", "5m", "2h" or "7d".`,
    });
  }
});
