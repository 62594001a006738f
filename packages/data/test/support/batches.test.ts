import assert from "node:assert/strict";
import { test } from "node:test";
import { runInBatches } from "@tenon/data";

test("batches run until one is empty, with turns of the event loop between them", async () => {
  const left = [3, 2, 0, 1];
  const seen: string[] = [];
  setImmediate(() => seen.push("another turn"));
  const total = await runInBatches(async () => {
    const count = left.shift() ?? 0;
    seen.push(String(count));
    return count;
  });
  assert.equal(total, 5);
  assert.deepEqual(seen, ["3", "another turn", "2", "0"]);
});
