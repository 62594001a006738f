import assert from "node:assert/strict";
import { test } from "node:test";
import { runFixture } from "../support/run-fixture.ts";
import { isFullRun } from "../support/seed.ts";

const megabytes = 1024 * 1024;
/** Both are full long before: the cache accepts no larger URLs than the last 20,000, the store keeps 100,000 keys. */
const count = isFullRun ? 1_000_000 : 250_000;
const collecting = { NODE_OPTIONS: "--expose-gc" };

test(`${count} different URLs take at most 16 MB (P23)`, async () => {
  const { stdout } = await runFixture("million-urls.ts", [String(count)], collecting);
  assert.ok(Number(stdout) <= 16 * megabytes, `the heap grew by ${stdout} bytes`);
});

test(`${count} different keys take at most 64 MB (X6)`, async () => {
  const { stdout } = await runFixture("million-keys.ts", [String(count)], collecting);
  const growth = Number(stdout);
  assert.ok(growth > 0 && growth <= 64 * megabytes, `the heap grew by ${stdout} bytes`);
});
