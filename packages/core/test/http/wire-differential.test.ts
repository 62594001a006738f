import assert from "node:assert/strict";
import { test } from "node:test";
import { wireCases } from "../advisories/wire-cases.ts";
import { findDifferences } from "../support/parser-differences.ts";
import { seeded } from "../support/seed.ts";

// the long form is part W4 of reliability/, with a million streams
test("whatever the wire engine reads, llhttp reads in the same way, and a split changes nothing", async () => {
  const { seed, numRuns } = seeded("bytes for two parsers", { fast: 1500, full: 30_000 });
  const corpus = wireCases.map(({ bytes }) => bytes);
  const { accepted, problems } = await findDifferences({ corpus, seed, streams: numRuns });
  assert.deepEqual(problems, []);
  assert.ok(accepted > numRuns / 20, `${accepted} requests were read`);
});
