import assert from "node:assert/strict";
import { test } from "node:test";
import { toPause } from "../../../src/client/runtime/live.ts";

test("the pause before a reconnect is random, grows with each failure, and has a bound", () => {
  const pauses = (failures: number) => Array.from({ length: 100 }, () => toPause(failures, 500));
  assert.ok(new Set(pauses(0)).size > 1);
  for (const [failures, longest] of [
    [0, 500],
    [3, 4000],
    [50, 30_000],
  ] as const) {
    for (const pause of pauses(failures)) assert.ok(pause >= longest / 2 && pause <= longest, `${pause} of ${longest}`);
  }
});
